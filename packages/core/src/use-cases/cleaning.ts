import type { RoleId } from '../domain/identity.ts';
import { after, before, type Duration, instant, minutes } from '../domain/instant.ts';
import { type Limits, limitsInForce } from '../domain/limits.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import { CLAIM, type CleanupTask, type StoredCount } from '../ports/role-cleanup.ts';
import type { RoleStore } from '../ports/role-store.ts';
import {
  beginRun,
  type CleanUpReport,
  type CleanUpRequest,
  type CleanUpRun,
  NOTHING_DONE,
  OUT_OF_TIME,
  removedOf,
  type Steps,
  withStep,
} from './clean-up-run.ts';
import { everyErasure, finish } from './erasing.ts';
import { type Observe, since } from './measurement.ts';
import { type Compared, compareArchives, countArchives, rolesWithoutArchive } from './reconciliation.ts';
import { AT_ONCE, allOf, moveRemovalClock, removalInstant, removeArchive } from './removal.ts';

/** The ports of `createCleaning`. */
export type CleanUpPorts = Pick<
  AllPorts,
  | 'roles'
  | 'erasures'
  | 'attempts'
  | 'staging'
  | 'archives'
  | 'mode'
  | 'clock'
  | 'machine'
  | 'persistence'
  | 'ids'
>;

/** The rows that one step removes. */
const BATCH = 100;
/** The maximum number of publications that a dry run names. */
const MAX_ENDING = 1_000;
/** The roles that one step counts: few, so that no request waits long for it. */
const COUNTED_AT_ONCE = 1_000;
/** The time that a sweep spends on erasing accounts before its other work. */
const ERASING: Duration = minutes(1);

/** Options of `createCleaning`. */
export interface CleaningOptions {
  readonly observe?: Observe | undefined;
}

/** Removes data that is not needed any more. */
export interface Cleaning {
  /**
   * Makes one sweep. Safe at any time and on any number of nodes; the next sweep continues an interrupted one.
   *
   * @throws Fault when a store cannot be reached; an archive that cannot be removed is counted instead.
   */
  cleanUp(request?: CleanUpRequest): Promise<CleanUpReport>;
}

/**
 * Creates the sweep. Give it the same limits as publishing.
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
      const start = ports.clock.now();
      let report = NOTHING_DONE;
      for await (const step of stepsOf(ports, inForce, request)) {
        report = withStep(report, step);
        request.onProgress?.(report);
      }
      observe?.({ kind: 'sweep', report, took: since(start, ports.clock) });
      return report;
    },
  };
}

async function* stepsOf(ports: CleanUpPorts, limits: Limits, request: CleanUpRequest): Steps {
  const { dryRun, signal } = request;
  signal?.throwIfAborted();
  if (dryRun !== true) await finishErasures(ports, signal);
  if (dryRun !== true && (await ports.mode.load(signal)).kind === 'read_only')
    return yield { finished: false, rested: true };
  const removal = await moveRemovalClock(ports, request);
  if (removal === undefined) return yield { finished: false, clockDiffers: true };
  yield { removalBehind: removal.behind };
  const run = beginRun(request, ports, removal.reached, limits.orphanAge);
  yield* dryRun === true ? count(ports, limits, run, request) : sweep(ports, limits, run);
}

/** Finishes erasures in every mode, but not on a node whose clock differs too much: stopped publications get its instant. */
async function finishErasures(ports: CleanUpPorts, signal: AbortSignal | undefined): Promise<void> {
  const erasures = await everyErasure(ports);
  if (erasures.length === 0 || (await removalInstant(ports, signal)) === undefined) return;
  const uptime = (): Duration => ports.machine.uptime().elapsed;
  const begun = uptime();
  for (const erasure of erasures) {
    await finish(ports, erasure, signal, () => uptime() - begun < ERASING);
  }
}

async function* count(
  ports: CleanUpPorts,
  limits: Limits,
  run: CleanUpRun,
  { endsBefore = instant(0) }: CleanUpRequest,
): Steps {
  const { roles, attempts, staging } = ports;
  const judgedAt = run.judgedAt();
  const ended = {
    now: instant(Math.max(run.now(), endsBefore)),
    endedBefore: instant(Math.max(before(judgedAt, limits.cleanupGrace), endsBefore)),
  };
  const begunBefore = before(judgedAt, limits.reservationAge);
  const { archives, reservations } = await roles.countForCleanup({ ...ended, begunBefore });
  yield { reservations };
  yield { attempts: await attempts.countEnded(judgedAt) };
  yield { uploads: await staging.countAbandoned(run.abandonedBefore) };
  const compared = yield* countArchives(ports, run);
  if (!compared.isRefused) {
    yield { archives };
    yield { ending: await roles.nextForCleanup({ ...ended, limit: MAX_ENDING }) };
  }
  yield* reportMissing(roles, compared, run);
}

async function* sweep(ports: CleanUpPorts, limits: Limits, run: CleanUpRun): Steps {
  const { roles, attempts, staging } = ports;
  const judgedAt = run.judgedAt();
  const begunBefore = before(judgedAt, limits.reservationAge);
  // Reservations first: while one is left, an archive without a record may still get one.
  if (!(yield* drop(run, 'reservations', () => roles.purge(begunBefore, BATCH)))) return;
  yield* drop(run, 'attempts', () => attempts.purge(judgedAt, BATCH));
  yield { uploads: await staging.sweep(run.abandonedBefore) };
  const compared = yield* compareArchives(ports, run);
  if (!compared.isRefused) yield* removeEnded(ports, limits, run);
  yield* reportMissing(roles, compared, run);
  yield* countStored(roles, run);
  if (compared.fault !== undefined) throw compared.fault;
}

/** Reports archives that are still missing: an earlier sweep may have died after removing one and before its record. */
async function* reportMissing(roles: RoleStore, { missing }: Compared, run: CleanUpRun): Steps {
  if (missing === undefined) return;
  const named = await roles.whichAreNamed(missing);
  const ids = missing.filter((id) => named.has(id));
  yield { missing: ids, withoutArchive: await rolesWithoutArchive(roles, new Set(ids), run) };
}

async function* countStored(roles: RoleStore, run: CleanUpRun): Steps {
  let stored: StoredCount = { pinned: 0, unpinned: 0, bytes: 0 };
  const now = run.now();
  for (let after: RoleId | undefined; await run.hasTimeLeft(); ) {
    const { counted, next } = await roles.countStored({ now, after, limit: COUNTED_AT_ONCE });
    stored = {
      pinned: stored.pinned + counted.pinned,
      unpinned: stored.unpinned + counted.unpinned,
      bytes: stored.bytes + counted.bytes,
    };
    if (next === undefined) return yield { stored };
    after = next;
  }
}

async function* removeEnded(ports: CleanUpPorts, limits: Limits, run: CleanUpRun): Steps {
  while (await run.hasTimeLeft()) {
    const tasks = await claim(ports, limits, run);
    if (tasks.length === 0) return;
    yield removedOf('archives', await allOf(tasks, (task) => removeArchive(ports, task, run)));
  }
  yield OUT_OF_TIME;
}

function claim(
  { roles, ids }: CleanUpPorts,
  limits: Limits,
  run: CleanUpRun,
): Promise<readonly CleanupTask[]> {
  const now = run.now();
  return roles.claimForCleanup({
    now,
    endedBefore: before(run.judgedAt(), limits.cleanupGrace),
    token: ids.token(),
    until: after(now, CLAIM),
    limit: AT_ONCE,
  });
}

/** Repeats a step until it removes less than a whole batch; returns whether there was time for that. */
async function* drop(
  run: CleanUpRun,
  what: 'reservations' | 'attempts',
  step: () => Promise<number>,
): Steps<boolean> {
  while (await run.hasTimeLeft()) {
    const count = await step();
    yield { [what]: count };
    if (count < BATCH) return true;
  }
  yield OUT_OF_TIME;
  return false;
}
