import { type Clock, type Duration, type Instant, instant, type Machine } from '@pinfold/core';
import { createManualClock } from '@pinfold/test-contracts/fixtures';

/**
 * A host's clock that can be set: it advances, and jumps, even back. Waits and the uptime count only the advances, not
 * the jumps.
 */
export interface SettableClock extends Clock, Machine {
  advance(length: Duration): void;
  /** Sets the clock by a number of milliseconds, forward or back. */
  set(by: number): void;
}

export function createSettableClock(start?: Instant): SettableClock {
  const steady = createManualClock(start);
  let offset = 0;
  return {
    now: () => instant(steady.now() + offset),
    sleep: steady.sleep,
    uptime: steady.uptime,
    advance: steady.advance,
    set: (by) => {
      offset += by;
    },
  };
}
