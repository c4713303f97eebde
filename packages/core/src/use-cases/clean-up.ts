import type { ArchiveId } from '../domain/identity.ts';
import { after, before, type Duration, type Instant, minutes } from '../domain/instant.ts';
import type { Limits } from '../domain/limits.ts';
import { isFault } from '../fault.ts';
import type { ArchiveStorage } from '../ports/archive-storage.ts';
import type { AttemptCounter } from '../ports/attempt-counter.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { CleanupTask, RoleStore } from '../ports/role-store.ts';
import type { Staging } from '../ports/staging.ts';
import { type Comparison, compareArchives } from './compare-archives.ts';

/** How a sweep is run. */
export interface CleanUpRequest {
  /** Removes archives without a record even when they are suspiciously many. */
  readonly force?: boolean;
  readonly signal?: AbortSignal;
  /** Called after each step with the report so far. */
  readonly onProgress?: (report: CleanUpReport) => void;
}

/** What a sweep did. */
export interface CleanUpReport {
  /** Reservations dropped for their age. */
  readonly reservations: number;
  /** Windows of counted tries that had ended. */
  readonly attempts: number;
  /** Abandoned uploads removed from this node. */
  readonly uploads: number;
  /** Archives of ended roles removed. */
  readonly archives: number;
  /** Archives of ended roles that could not be removed; they are tried again later. */
  readonly failures: number;
  /** Archives without a record removed. */
  readonly orphans: number;
  /** Archives that records name and storage does not have: reported, never acted on. */
  readonly missing: readonly ArchiveId[];
  /**
   * What became of the comparison of storage with records: `refused` means that so many archives had no record
   * that the records are more likely wrong than the archives, and nothing was removed.
   */
  readonly listing: 'done' | 'not_due' | 'refused';
}

/** The ports that cleaning up needs. */
export interface CleanUpPorts {
  readonly roles: RoleStore;
  readonly attempts: AttemptCounter;
  readonly staging: Staging;
  readonly archives: ArchiveStorage;
  readonly clock: Clock;
  readonly ids: Ids;
}

const BATCH = 100;
const CLAIM: Duration = minutes(10);
const LONGEST_PAUSE: Duration = minutes(24 * 60);

/** Removes what is no longer needed (contract, section 9). Safe at any time, on any number of nodes at once. */
export class CleanUp {
  readonly #ports: CleanUpPorts;
  readonly #limits: Limits;

  constructor(ports: CleanUpPorts, limits: Limits) {
    this.#ports = ports;
    this.#limits = limits;
  }

  /**
   * One sweep. It can be broken off anywhere and run again.
   *
   * @throws Fault when a store cannot be reached; an archive that cannot be removed is counted instead.
   */
  async run(request: CleanUpRequest = {}): Promise<CleanUpReport> {
    const { roles, attempts, staging, clock } = this.#ports;
    const start = clock.now();
    let report: CleanUpReport = EMPTY;
    const note = (more: Partial<CleanUpReport>) => {
      report = { ...report, ...more };
      request.onProgress?.(report);
    };
    const begun = before(start, this.#limits.reservationAge);
    await inBatches(
      () => roles.purge(begun, BATCH),
      request.signal,
      (reservations) => note({ reservations }),
    );
    await inBatches(
      () => attempts.purge(start, BATCH),
      request.signal,
      (count) => note({ attempts: count }),
    );
    note({ uploads: await staging.sweep(before(start, this.#limits.orphanAge)) });
    await this.#removeEnded(request, note);
    note(await this.#removeOrphans(start, request));
    return report;
  }

  async #removeEnded(
    { signal }: CleanUpRequest,
    note: (more: Partial<CleanUpReport>) => void,
  ): Promise<void> {
    let archives = 0;
    let failures = 0;
    for (;;) {
      signal?.throwIfAborted();
      const tasks = await this.#claim();
      if (tasks.length === 0) return;
      const removed = await Promise.all(tasks.map((task) => this.#remove(task, signal)));
      archives += removed.filter(Boolean).length;
      failures += removed.filter((done) => !done).length;
      note({ archives, failures });
    }
  }

  #claim(): Promise<readonly CleanupTask[]> {
    const now = this.#ports.clock.now();
    return this.#ports.roles.claimForCleanup({
      now,
      endedBefore: before(now, this.#limits.cleanupGrace),
      token: this.#ports.ids.token(),
      until: after(now, CLAIM),
      limit: 16,
    });
  }

  /** One archive that cannot be removed waits longer each time, and keeps no other waiting. */
  async #remove(task: CleanupTask, signal: AbortSignal | undefined): Promise<boolean> {
    const { roles, archives, clock } = this.#ports;
    try {
      await archives.delete(task.archive, signal);
    } catch (error) {
      if (!isFault(error)) throw error;
      const pause = Math.min(minutes(2 ** Math.min(task.failures, 12)), LONGEST_PAUSE) as Duration;
      await roles.settleCleanup(task, { kind: 'failed', retryAt: after(clock.now(), pause) });
      return false;
    }
    await roles.settleCleanup(task, { kind: 'removed' });
    return true;
  }

  async #removeOrphans(start: Instant, request: CleanUpRequest): Promise<Partial<CleanUpReport>> {
    const { roles, archives } = this.#ports;
    const turn = await roles.takeSweepTurn({
      now: start,
      lastBefore: request.force ? start : before(start, this.#limits.orphanAge),
    });
    if (turn.kind === 'too_soon') return { listing: 'not_due' };
    const old = before(start, this.#limits.orphanAge);
    const comparison = await compareArchives(this.#ports, old, request.signal);
    if (request.force !== true && isSuspicious(comparison)) {
      return { listing: 'refused', missing: comparison.missing };
    }
    let orphans = 0;
    for (const id of comparison.orphans) {
      await archives.delete(id, request.signal);
      orphans += 1;
    }
    return { listing: 'done', orphans, missing: comparison.missing };
  }
}

const EMPTY: CleanUpReport = {
  reservations: 0,
  attempts: 0,
  uploads: 0,
  archives: 0,
  failures: 0,
  orphans: 0,
  missing: [],
  listing: 'not_due',
};

/** More than 20, and more than a tenth of all that are old enough: a wrong or restored database looks like this. */
function isSuspicious({ orphans, old }: Comparison): boolean {
  return orphans.length > 20 && orphans.length * 10 > old;
}

/** Repeats a bounded step until it does less than a whole batch. */
async function inBatches(
  step: () => Promise<number>,
  signal: AbortSignal | undefined,
  note: (total: number) => void,
): Promise<void> {
  let total = 0;
  for (let count = BATCH; count === BATCH; ) {
    signal?.throwIfAborted();
    count = await step();
    total += count;
    note(total);
  }
}
