import { eventOf } from '../domain/history.ts';
import { after, type Duration, duration, type Instant, instant, minutes } from '../domain/instant.ts';
import {
  caughtUp,
  clocksDiffer,
  earlier,
  firstRemovalClock,
  movedRemovalClock,
  NOT_COMPARED,
  type SweepClocks,
} from '../domain/reconciliation.ts';
import { succeeds } from '../fault.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import { type CleanupOutcome, type CleanupTask, MAX_PAUSE } from '../ports/role-cleanup.ts';
import type { RoleStore } from '../ports/role-store.ts';
import type { CleanUpRequest, CleanUpRun } from './clean-up-run.ts';

/** The ports of all use cases that remove data by age. */
export interface RemovalPorts extends Pick<AllPorts, 'clock' | 'machine' | 'persistence'> {
  readonly roles: Pick<RoleStore, 'loadComparison' | 'saveComparison' | 'countForCleanup'>;
}

/**
 * Moves the clock of removal. Returns its instant and how far it is behind the sweep's clock; `undefined` on a node whose
 * clock differs too much from the database's.
 */
export async function moveRemovalClock(
  ports: RemovalPorts,
  { catchUp = false, dryRun = false, signal }: Pick<CleanUpRequest, 'catchUp' | 'dryRun' | 'signal'>,
): Promise<{ readonly reached: Instant; readonly behind: Duration } | undefined> {
  const { roles, clock, machine } = ports;
  const askedAt = clock.now();
  const database = await ports.persistence.check(signal);
  if (database !== undefined && clocksDiffer(askedAt, database, clock.now())) return undefined;
  for (;;) {
    signal?.throwIfAborted();
    const loaded = await roles.loadComparison();
    const clocks: SweepClocks = { now: clock.now(), uptime: machine.uptime(), database };
    const last = loaded?.value.removal;
    const next =
      last === undefined
        ? firstRemovalClock(clocks, await earliestEnd(roles, clocks.now))
        : movedRemovalClock(last, clocks);
    const removal = catchUp ? caughtUp(next, clocks.now) : next;
    const { reached } = removal;
    const moved = { reached, behind: duration(Math.max(0, clocks.now - reached)) };
    if (dryRun) return moved;
    const comparison = { ...(loaded?.value ?? NOT_COMPARED), removal };
    if ((await roles.saveComparison(comparison, loaded?.version)).kind === 'saved') return moved;
  }
}

/**
 * The instant by which sweeps other than `cleanUp` judge ages; only `cleanUp` moves the clock of removal. `undefined` on a
 * node whose clock differs too much from the database's.
 */
export async function removalInstant(
  ports: RemovalPorts,
  signal: AbortSignal | undefined,
): Promise<Instant | undefined> {
  const removal = await moveRemovalClock(ports, { dryRun: true, ...(signal && { signal }) });
  return removal && earlier(removal.reached, ports.clock.now());
}

/** Later than every retry of a claim. */
const END_OF_TIME: Instant = instant(8_640_000_000_000_000);

/** Finds when the first role with an archive ended, by bisection. It runs once in the life of a database. */
async function earliestEnd(roles: RemovalPorts['roles'], now: Instant): Promise<Instant | undefined> {
  const count = async (endedBefore: Instant): Promise<number> => {
    const counted = { now: END_OF_TIME, endedBefore, begunBefore: instant(0) };
    return (await roles.countForCleanup(counted)).archives;
  };
  // The count includes all purged roles, whenever they ended.
  const purged = await count(instant(0));
  if ((await count(now)) === purged) return undefined;
  let [none, some] = [0, Number(now)];
  while (some - none > 1) {
    const middle = Math.floor((none + some) / 2);
    if ((await count(instant(middle))) > purged) some = middle;
    else none = middle;
  }
  return instant(some);
}

const MAX_DURATION: Duration = minutes(1);

/** Repeats a step until it does less than a whole batch, {@link MAX_DURATION} is over or the service is read-only. */
export async function inBatches(
  { machine, mode }: Pick<AllPorts, 'machine' | 'mode'>,
  batch: number,
  signal: AbortSignal | undefined,
  step: () => Promise<number>,
): Promise<void> {
  const begun = machine.uptime().elapsed;
  do {
    signal?.throwIfAborted();
    if ((await mode.load(signal)).kind === 'read_only') return;
  } while ((await step()) === batch && machine.uptime().elapsed - begun < MAX_DURATION);
}

/** Removes an archive; returns whether it is gone. After each failure, the next try waits longer. */
export async function removeArchive(
  { roles, archives, clock, ids }: Pick<AllPorts, 'roles' | 'archives' | 'clock' | 'ids'>,
  task: CleanupTask,
  { cause, signal }: Pick<CleanUpRun, 'cause' | 'signal'>,
): Promise<boolean> {
  const isGone = await succeeds(archives.delete(task.archive, signal));
  const now = clock.now();
  const purged = { type: 'pin.purged', at: now } as const;
  const events = isGone ? [eventOf(ids, purged, cause, task.account, task.role)] : [];
  const pause = Math.min(minutes(2 ** Math.min(task.failures, 12)), MAX_PAUSE) as Duration;
  const outcome: CleanupOutcome = isGone
    ? { kind: 'removed' }
    : { kind: 'failed', retryAt: after(now, pause) };
  await roles.settleCleanup(task, outcome, events);
  return isGone;
}

/** The archives that are read or removed concurrently. */
export const AT_ONCE = 16;

/**
 * Runs work on all items, {@link AT_ONCE} of them concurrently. If one fails, it throws that error when all work that has
 * begun has ended.
 */
export async function allOf<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let done = 0; done < items.length; done += AT_ONCE) {
    const batch = await Promise.allSettled(items.slice(done, done + AT_ONCE).map(work));
    for (const outcome of batch) {
      if (outcome.status === 'rejected') throw outcome.reason;
      results.push(outcome.value);
    }
  }
  return results;
}
