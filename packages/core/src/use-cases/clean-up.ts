import { after, before, type Duration, minutes } from '../domain/instant.ts';
import type { Limits } from '../domain/limits.ts';
import type { ArchiveStorage } from '../ports/archive-storage.ts';
import type { AttemptCounter } from '../ports/attempt-counter.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { CleanupTask, RoleStore } from '../ports/role-store.ts';
import type { Staging } from '../ports/staging.ts';
import {
  type CleanUpReport,
  NOTHING_DONE,
  OUT_OF_TIME,
  removed,
  type Steps,
  withStep,
} from './clean-up-report.ts';
import { type CleanUpRequest, CleanUpRun } from './clean-up-run.ts';
import { type Compared, compareArchives, countArchives } from './compare-archives.ts';
import { AT_ONCE, allOf, deleteArchive } from './delete-archive.ts';

/** The ports that cleaning up needs. */
export interface CleanUpPorts {
  readonly roles: RoleStore;
  readonly attempts: AttemptCounter;
  readonly staging: Staging;
  readonly archives: ArchiveStorage;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Rows dropped in one step. */
const BATCH = 100;
const CLAIM: Duration = minutes(10);
const LONGEST_PAUSE: Duration = minutes(24 * 60);

/** Removes what is no longer needed. Safe at any time, on any number of nodes at once. */
export class CleanUp {
  readonly #ports: CleanUpPorts;
  readonly #limits: Limits;

  constructor(ports: CleanUpPorts, limits: Limits) {
    this.#ports = ports;
    this.#limits = limits;
  }

  /**
   * One sweep. It can be broken off anywhere, and what it leaves the next one finds.
   *
   * @throws Fault when a store cannot be reached; an archive that cannot be removed is counted instead.
   */
  async run(request: CleanUpRequest = {}): Promise<CleanUpReport> {
    const run = new CleanUpRun(request, this.#ports.clock, this.#limits.orphanAge);
    let report = NOTHING_DONE;
    for await (const step of request.dryRun === true ? this.#count(run) : this.#sweep(run)) {
      report = withStep(report, step);
      request.onProgress?.(report);
    }
    return report;
  }

  async *#count(run: CleanUpRun): Steps {
    const { roles, attempts, staging } = this.#ports;
    const { archives, reservations } = await roles.countForCleanup({
      now: run.start,
      endedBefore: before(run.start, this.#limits.cleanupGrace),
      begunBefore: before(run.start, this.#limits.reservationAge),
    });
    yield { kind: 'dropped', what: 'reservations', count: reservations };
    yield { kind: 'dropped', what: 'attempts', count: await attempts.countEnded(run.start) };
    yield { kind: 'dropped', what: 'uploads', count: await staging.countAbandoned(run.abandonedBefore) };
    const compared = yield* countArchives(this.#ports, run);
    if (!compared.isRefused) yield { kind: 'removed', what: 'archives', count: archives, failures: 0 };
    yield { kind: 'missing', ids: compared.missing };
  }

  async *#sweep(run: CleanUpRun): Steps {
    const { roles, attempts, staging } = this.#ports;
    const begunBefore = before(run.start, this.#limits.reservationAge);
    // While one of them is left, an archive that no record names may get its record yet.
    if (!(yield* drop(run, 'reservations', () => roles.purge(begunBefore, BATCH)))) return;
    yield* drop(run, 'attempts', () => attempts.purge(run.start, BATCH));
    yield { kind: 'dropped', what: 'uploads', count: await staging.sweep(run.abandonedBefore) };
    const compared = yield* compareArchives(this.#ports, run);
    if (!compared.isRefused) yield* this.#removeEnded(run);
    yield* this.#tellMissing(compared);
    if (compared.fault !== undefined) throw compared.fault;
  }

  /** A role that ended is not missed when its archive went and only the record of that was not written. */
  async *#tellMissing({ missing }: Compared): Steps {
    if (missing.length === 0) return;
    const named = await this.#ports.roles.whichAreNamed(missing);
    yield { kind: 'missing', ids: missing.filter((id) => named.has(id)) };
  }

  async *#removeEnded(run: CleanUpRun): Steps {
    while (run.goesOn()) {
      const tasks = await this.#claim();
      if (tasks.length === 0) return;
      yield removed('archives', await allOf(tasks, (task) => this.#remove(task, run)));
    }
    yield OUT_OF_TIME;
  }

  #claim(): Promise<readonly CleanupTask[]> {
    const now = this.#ports.clock.now();
    return this.#ports.roles.claimForCleanup({
      now,
      endedBefore: before(now, this.#limits.cleanupGrace),
      token: this.#ports.ids.token(),
      until: after(now, CLAIM),
      limit: AT_ONCE,
    });
  }

  /** One archive that cannot be removed waits longer each time, and keeps no other waiting. */
  async #remove(task: CleanupTask, { signal }: CleanUpRun): Promise<boolean> {
    const { roles, archives, clock } = this.#ports;
    const isGone = await deleteArchive(archives, task.archive, signal);
    const pause = Math.min(minutes(2 ** Math.min(task.failures, 12)), LONGEST_PAUSE) as Duration;
    const retryAt = after(clock.now(), pause);
    await roles.settleCleanup(task, isGone ? { kind: 'removed' } : { kind: 'failed', retryAt });
    return isGone;
  }
}

/** Repeats a bounded step until it does less than a whole batch; answers whether there was time for all. */
async function* drop(
  run: CleanUpRun,
  what: 'reservations' | 'attempts',
  step: () => Promise<number>,
): Steps<boolean> {
  while (run.goesOn()) {
    const count = await step();
    yield { kind: 'dropped', what, count };
    if (count < BATCH) return true;
  }
  yield OUT_OF_TIME;
  return false;
}
