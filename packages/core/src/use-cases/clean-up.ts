import type { ArchiveId } from '../domain/identity.ts';
import { after, before, type Duration, type Instant, instant, minutes } from '../domain/instant.ts';
import type { Limits } from '../domain/limits.ts';
import { isFault } from '../fault.ts';
import type { ArchiveStorage } from '../ports/archive-storage.ts';
import type { AttemptCounter } from '../ports/attempt-counter.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { CleanupTask, RoleStore } from '../ports/role-store.ts';
import type { Staging } from '../ports/staging.ts';
import { type CleanUpReport, type CleanUpRequest, CleanUpRun } from './clean-up-run.ts';
import { type Comparison, compareArchives } from './compare-archives.ts';

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
/** Archives removed at the same time. */
const AT_ONCE = 16;
const CLAIM: Duration = minutes(10);
const LONGEST_PAUSE: Duration = minutes(24 * 60);
const TIME: Duration = minutes(5);
/** Later than any turn was ever taken, also by a clock that was wrong then. */
const ANY_TIME: Instant = instant(Number.MAX_SAFE_INTEGER);

/** Removes what is no longer needed (contract, section 9). Safe at any time, on any number of nodes at once. */
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
    const run = new CleanUpRun(request, this.#ports.clock, request.time ?? TIME);
    if (request.dryRun === true) await this.#count(run);
    else await this.#sweep(run);
    return run.report;
  }

  async #count(run: CleanUpRun): Promise<void> {
    const { roles, attempts, staging } = this.#ports;
    const { archives, reservations } = await roles.countForCleanup({
      now: run.start,
      endedBefore: before(run.start, this.#limits.cleanupGrace),
      begunBefore: before(run.start, this.#limits.reservationAge),
    });
    run.note({ reservations, archives });
    run.note({ attempts: await attempts.countEnded(run.start) });
    run.note({ uploads: await staging.countAbandoned(this.#orphaned(run)) });
    const { orphans } = await this.#compare(run);
    if (run.report.listing === 'refused') run.note({ archives: 0 });
    else run.note({ orphans: orphans.length });
  }

  async #sweep(run: CleanUpRun): Promise<void> {
    const { roles, attempts, staging } = this.#ports;
    const begunBefore = before(run.start, this.#limits.reservationAge);
    // While one of them is left, an archive that no record names may get its record yet.
    if (!(await run.inBatches(BATCH, 'reservations', () => roles.purge(begunBefore, BATCH)))) return;
    await run.inBatches(BATCH, 'attempts', () => attempts.purge(run.start, BATCH));
    run.note({ uploads: await staging.sweep(this.#orphaned(run)) });
    await this.#removeOrphans(run);
    if (run.report.listing === 'refused') return;
    await this.#removeEnded(run);
    await this.#passOverEnded(run);
  }

  /** A role that ended is not missed when its archive went and only the record of that was not written. */
  async #passOverEnded(run: CleanUpRun): Promise<void> {
    const { missing } = run.report;
    if (missing.length === 0) return;
    const named = await this.#ports.roles.whichAreNamed(missing);
    run.note({ missing: missing.filter((id) => named.has(id)) });
  }

  async #removeOrphans(run: CleanUpRun): Promise<void> {
    const lastBefore = run.isForced ? ANY_TIME : this.#orphaned(run);
    const turn = await this.#ports.roles.takeSweepTurn({ now: run.start, lastBefore });
    if (turn.kind === 'too_soon') return;
    const { orphans } = await this.#compare(run);
    if (run.report.listing === 'refused') return;
    for (let from = 0; from < orphans.length && run.goesOn(); from += AT_ONCE) {
      const batch = orphans.slice(from, from + AT_ONCE);
      const removed = await allOf(batch, (id) => this.#delete(id, run.signal));
      run.add('orphans', removed.filter(Boolean).length);
      run.add('failures', removed.filter((done) => !done).length);
    }
  }

  /** Compares storage with the records, and says whether what was found can be true. */
  async #compare(run: CleanUpRun): Promise<Comparison> {
    const comparison = await compareArchives(this.#ports, {
      createdBefore: this.#orphaned(run),
      signal: run.signal,
      onPage: (compared) => run.note({ compared }),
    });
    const listing = !run.isForced && isSuspicious(comparison) ? 'refused' : 'done';
    run.note({ unnamed: comparison.orphans.length, missing: comparison.missing, listing });
    return comparison;
  }

  async #removeEnded(run: CleanUpRun): Promise<void> {
    while (run.goesOn()) {
      const tasks = await this.#claim();
      if (tasks.length === 0) return;
      const removed = await allOf(tasks, (task) => this.#remove(task, run.signal));
      run.add('archives', removed.filter(Boolean).length);
      run.add('failures', removed.filter((done) => !done).length);
    }
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
  async #remove(task: CleanupTask, signal: AbortSignal | undefined): Promise<boolean> {
    const { roles, clock } = this.#ports;
    if (await this.#delete(task.archive, signal)) {
      await roles.settleCleanup(task, { kind: 'removed' });
      return true;
    }
    const pause = Math.min(minutes(2 ** Math.min(task.failures, 12)), LONGEST_PAUSE) as Duration;
    await roles.settleCleanup(task, { kind: 'failed', retryAt: after(clock.now(), pause) });
    return false;
  }

  /** Whether the archive is gone. */
  async #delete(id: ArchiveId, signal: AbortSignal | undefined): Promise<boolean> {
    try {
      await this.#ports.archives.delete(id, signal);
      return true;
    } catch (error) {
      if (!isFault(error)) throw error;
      return false;
    }
  }

  /** What was made before this instant and belongs to nothing is abandoned. */
  #orphaned(run: CleanUpRun): Instant {
    return before(run.start, this.#limits.orphanAge);
  }
}

/** More than 20, and more than a tenth of all that are old enough: a wrong or restored database looks like this. */
function isSuspicious({ orphans, compared }: Comparison): boolean {
  return orphans.length > 20 && orphans.length * 10 > compared;
}

/** Does something with all at once, and ends when the last has ended, also when one of them failed. */
async function allOf<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const outcomes = await Promise.allSettled(items.map(work));
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}
