import type { ArchiveId } from '../domain/identity.ts';
import { after, type Duration, type Instant } from '../domain/instant.ts';
import type { Clock } from '../ports/clock.ts';

/** How a sweep is run. */
export interface CleanUpRequest {
  /** Compares storage with the records even if that was done lately, and removes even suspiciously many archives. */
  readonly force?: boolean;
  /** Counts what would be removed, and changes nothing. */
  readonly dryRun?: boolean;
  /** How long the sweep may go on before it leaves the rest to the next one; 5 minutes when absent. */
  readonly time?: Duration;
  readonly signal?: AbortSignal;
  /** Called after each step with the report so far. */
  readonly onProgress?: (report: CleanUpReport) => void;
}

/** What a sweep did; of a dry run, what it would have done. */
export interface CleanUpReport {
  /** Reservations dropped for their age. */
  readonly reservations: number;
  /** Records of counted tries whose windows had ended. */
  readonly attempts: number;
  /** Abandoned uploads removed from this node. */
  readonly uploads: number;
  /** Archives of ended roles removed. */
  readonly archives: number;
  /** Archives that could not be removed; they are tried again later. */
  readonly failures: number;
  /** Archives in storage that were old enough to be compared with the records. */
  readonly compared: number;
  /** Those of them that no record names. */
  readonly unnamed: number;
  /** Archives without a record removed. */
  readonly orphans: number;
  /** Archives that records name and storage does not have, the first 1,000: reported, never acted on. */
  readonly missing: readonly ArchiveId[];
  /**
   * What became of the comparison of storage with records: `refused` means that so many archives had no record
   * that the records are more likely wrong than the archives, and no archive was removed.
   */
  readonly listing: 'done' | 'not_due' | 'refused';
  /** Whether everything was done; false when the time was over before. */
  readonly finished: boolean;
}

/** The members of a report that count what was removed or was not. */
type Counted = 'reservations' | 'attempts' | 'archives' | 'failures' | 'orphans';

/** One sweep under way: how far it has come, and whether it may go on. */
export class CleanUpRun {
  readonly start: Instant;
  readonly signal: AbortSignal | undefined;
  readonly isForced: boolean;
  readonly #clock: Clock;
  readonly #deadline: Instant;
  readonly #onProgress: CleanUpRequest['onProgress'];
  #report: CleanUpReport = EMPTY;

  constructor({ signal, force, onProgress }: CleanUpRequest, clock: Clock, time: Duration) {
    this.signal = signal;
    this.isForced = force === true;
    this.start = clock.now();
    this.#clock = clock;
    this.#deadline = after(this.start, time);
    this.#onProgress = onProgress;
  }

  get report(): CleanUpReport {
    return this.#report;
  }

  note(more: Partial<CleanUpReport>): void {
    this.#report = { ...this.#report, ...more };
    this.#onProgress?.(this.#report);
  }

  add(what: Counted, count: number): void {
    this.note({ [what]: this.#report[what] + count });
  }

  /** Whether there is time for one more step. Rejects with the signal's reason when it is aborted. */
  goesOn(): boolean {
    this.signal?.throwIfAborted();
    const isOver = this.#clock.now() >= this.#deadline;
    if (isOver) this.note({ finished: false });
    return !isOver;
  }

  /** Repeats a bounded step until it does less than a whole batch; answers whether there was time for all. */
  async inBatches(size: number, what: Counted, step: () => Promise<number>): Promise<boolean> {
    while (this.goesOn()) {
      const count = await step();
      this.add(what, count);
      if (count < size) return true;
    }
    return false;
  }
}

const EMPTY: CleanUpReport = {
  reservations: 0,
  attempts: 0,
  uploads: 0,
  archives: 0,
  failures: 0,
  compared: 0,
  unnamed: 0,
  orphans: 0,
  missing: [],
  listing: 'not_due',
  finished: true,
};
