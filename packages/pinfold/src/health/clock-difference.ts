import type { Instant } from '@pinfold/core';
import { MAX_CLOCK_DIFFERENCE } from '@pinfold/core/internal';
import type { Log } from '../server/log.ts';
import { TIMEOUTS } from './dependency.ts';

/** Measures how far this machine's clock is ahead of the database's. */
export class ClockDifference {
  #milliseconds: number | undefined;
  #log: Log | undefined;

  /** In milliseconds, negative if this clock is behind; `undefined` until it is measured. */
  get milliseconds(): number | undefined {
    return this.#milliseconds;
  }

  /** Whether sites could end noticeably early or late; this machine then removes nothing. */
  get isTooLarge(): boolean {
    return Math.abs(this.#milliseconds ?? 0) > MAX_CLOCK_DIFFERENCE;
  }

  logTo(log: Log): void {
    this.#log = log;
  }

  /**
   * Records the database's time, read between two times of this clock; `undefined` for a database without a clock,
   * which cannot differ.
   */
  note(asked: Instant, databaseNow: Instant | undefined, answered: Instant): void {
    if (answered - asked > TIMEOUTS.slow) return;
    const before = this.isTooLarge;
    this.#milliseconds = databaseNow === undefined ? 0 : Math.round((asked + answered) / 2 - databaseNow);
    if (this.isTooLarge && !before) this.#log?.warn(formatDifference(this.#milliseconds));
    if (!this.isTooLarge && before) this.#log?.info("this machine's clock agrees with the database's again");
  }
}

function formatDifference(milliseconds: number): string {
  const seconds = Math.round(Math.abs(milliseconds) / 100) / 10;
  const direction = milliseconds > 0 ? 'ahead of' : 'behind';
  return `this machine's clock is ${seconds} s ${direction} the database's, so it cleans nothing up`;
}
