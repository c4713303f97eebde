import { eventOf } from '../domain/history.ts';
import { after, before, type Duration, days, minutes } from '../domain/instant.ts';
import { type Limits, limitsInForce } from '../domain/limits.ts';
import { succeeds } from '../fault.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import type { CleanupOutcome, CleanupTask, RoleStore } from '../ports/role-store.ts';
import { AT_ONCE, allOf } from './all-settled.ts';
import {
  type CleanUpReport,
  NOTHING_DONE,
  OUT_OF_TIME,
  READ_ONLY,
  removed,
  removedOf,
  type Steps,
  withStep,
} from './clean-up-report.ts';
import { type CleanUpRequest, CleanUpRun } from './clean-up-run.ts';
import { type Observe, since } from './measurement.ts';
import { type Compared, compareArchives, countArchives } from './reconciliation.ts';

/** The ports of `createCleaning`. */
export type CleanUpPorts = Pick<
  AllPorts,
  'roles' | 'attempts' | 'staging' | 'archives' | 'mode' | 'clock' | 'ids'
>;

/** Rows dropped in one step. */
const BATCH = 100;
export const CLAIM: Duration = minutes(10);
const LONGEST_PAUSE: Duration = days(1);

/** Options of `createCleaning`. */
export interface CleaningOptions {
  readonly observe?: Observe;
}

/** Removes what is no longer needed. */
export interface Cleaning {
  /**
   * One sweep. Safe at any time, on any number of nodes. Broken off anywhere, it leaves the rest to the next one.
   *
   * @throws Fault when a store cannot be reached; an archive that cannot be removed is counted instead.
   */
  cleanUp(request?: CleanUpRequest): Promise<CleanUpReport>;
}

/**
 * Puts the sweep together. Give it the limits that publishing has.
 *
 * @throws TypeError as `createUseCases` does for its limits.
 *
 * @example
 * import { type CleanUpPorts, createCleaning } from '@pinfold/core/cleaning';
 *
 * declare const ports: CleanUpPorts;
 * const { cleanUp } = createCleaning(ports);
 * const { archives } = await cleanUp();
 */
export function createCleaning(
  ports: CleanUpPorts,
  limits: Partial<Limits> = {},
  { observe }: CleaningOptions = {},
): Cleaning {
  const inForce = limitsInForce(limits);
  return {
    async cleanUp(request = {}) {
      const run = new CleanUpRun(request, ports, inForce.orphanAge);
      let report = NOTHING_DONE;
      for await (const step of (request.dryRun === true ? count : sweep)(ports, inForce, run)) {
        report = withStep(report, step);
        request.onProgress?.(report);
      }
      observe?.({ kind: 'sweep', report, took: since(run.start, ports.clock) });
      return report;
    },
  };
}

async function* count(ports: CleanUpPorts, limits: Limits, run: CleanUpRun): Steps {
  const { roles, attempts, staging } = ports;
  const { archives, reservations } = await roles.countForCleanup({
    now: run.start,
    endedBefore: before(run.start, limits.cleanupGrace),
    begunBefore: before(run.start, limits.reservationAge),
  });
  yield removed('reservations', reservations);
  yield removed('attempts', await attempts.countEnded(run.start));
  yield removed('uploads', await staging.countAbandoned(run.abandonedBefore));
  const compared = yield* countArchives(ports, run);
  if (!compared.isRefused) yield removed('archives', archives);
  yield { kind: 'missing', ids: compared.missing ?? [] };
}

async function* sweep(ports: CleanUpPorts, limits: Limits, run: CleanUpRun): Steps {
  const { roles, attempts, staging } = ports;
  const begunBefore = before(run.start, limits.reservationAge);
  if (await run.isReadOnly()) return yield READ_ONLY;
  // While one of them is left, an archive that no record names may get its record yet.
  if (!(yield* drop(run, 'reservations', () => roles.purge(begunBefore, BATCH)))) return;
  yield* drop(run, 'attempts', () => attempts.purge(run.start, BATCH));
  yield removed('uploads', await staging.sweep(run.abandonedBefore));
  const compared = yield* compareArchives(ports, run);
  if (!compared.isRefused) yield* removeEnded(ports, limits, run);
  yield* tellMissing(roles, compared);
  if (compared.fault !== undefined) throw compared.fault;
}

/** A role that ended is not missed when its archive went and only the record of that was not written. */
async function* tellMissing(roles: RoleStore, { missing = [] }: Compared): Steps {
  const named = await roles.whichAreNamed(missing);
  yield { kind: 'missing', ids: missing.filter((id) => named.has(id)) };
}

async function* removeEnded(ports: CleanUpPorts, limits: Limits, run: CleanUpRun): Steps {
  while (await run.hasTimeLeft()) {
    const tasks = await claim(ports, limits);
    if (tasks.length === 0) return;
    yield removedOf('archives', await allOf(tasks, (task) => remove(ports, task, run)));
  }
  yield OUT_OF_TIME;
}

function claim({ roles, clock, ids }: CleanUpPorts, limits: Limits): Promise<readonly CleanupTask[]> {
  const now = clock.now();
  return roles.claimForCleanup({
    now,
    endedBefore: before(now, limits.cleanupGrace),
    token: ids.token(),
    until: after(now, CLAIM),
    limit: AT_ONCE,
  });
}

/** One archive that cannot be removed waits longer each time, and keeps no other waiting. */
export async function remove(
  { roles, archives, clock, ids }: Pick<CleanUpPorts, 'roles' | 'archives' | 'clock' | 'ids'>,
  task: CleanupTask,
  { cause, signal }: Pick<CleanUpRun, 'cause' | 'signal'>,
): Promise<boolean> {
  const isGone = await succeeds(archives.delete(task.archive, signal));
  const now = clock.now();
  const purged = { type: 'pin.purged', at: now } as const;
  const events = isGone ? [eventOf(ids, purged, cause, task.account, task.role)] : [];
  const pause = Math.min(minutes(2 ** Math.min(task.failures, 12)), LONGEST_PAUSE) as Duration;
  const outcome: CleanupOutcome = isGone
    ? { kind: 'removed' }
    : { kind: 'failed', retryAt: after(now, pause) };
  await roles.settleCleanup(task, outcome, events);
  return isGone;
}

/** Repeats a bounded step until it does less than a whole batch; answers whether there was time for all. */
async function* drop(
  run: CleanUpRun,
  what: 'reservations' | 'attempts',
  step: () => Promise<number>,
): Steps<boolean> {
  while (await run.hasTimeLeft()) {
    const count = await step();
    yield removed(what, count);
    if (count < BATCH) return true;
  }
  yield OUT_OF_TIME;
  return false;
}
