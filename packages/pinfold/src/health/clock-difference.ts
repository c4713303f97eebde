import type { Instant } from '@pinfold/core';
import { MAX_CLOCK_DIFFERENCE } from '@pinfold/core/internal';
import type { Log } from '../server/log.ts';
import { PATIENCE } from './dependency.ts';

/** How far this machine's clock is ahead of the database's. */
export class ClockDifference {
  #milliseconds: number | undefined;
  #log: Log | undefined;

  /** In milliseconds, negative when it is behind; `undefined` until it is known. */
  get milliseconds(): number | undefined {
    return this.#milliseconds;
  }

  /** Sites end too soon or too late, and this machine removes nothing. */
  get isGreat(): boolean {
    return Math.abs(this.#milliseconds ?? 0) > MAX_CLOCK_DIFFERENCE;
  }

  logTo(log: Log): void {
    this.#log = log;
  }

  /** Takes the database's time between two of ours; `undefined` for a database without a clock, which cannot differ. */
  note(asked: Instant, databaseNow: Instant | undefined, answered: Instant): void {
    if (answered - asked > PATIENCE.slow) return;
    const before = this.isGreat;
    this.#milliseconds = databaseNow === undefined ? 0 : Math.round((asked + answered) / 2 - databaseNow);
    if (this.isGreat && !before) this.#log?.warn(words(this.#milliseconds));
    if (!this.isGreat && before) this.#log?.info("this machine's clock agrees with the database's again");
  }
}

function words(milliseconds: number): string {
  const seconds = Math.round(Math.abs(milliseconds) / 100) / 10;
  const direction = milliseconds > 0 ? 'ahead of' : 'behind';
  return `this machine's clock is ${seconds} s ${direction} the database's, so it cleans nothing up`;
}
