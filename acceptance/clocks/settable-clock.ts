import { type Clock, type Duration, type Instant, instant, type Machine } from '@pinfold/core';
import { createManualClock } from '@pinfold/test-contracts/fixtures';

/**
 * A host's clock that somebody sets: it goes on, and it jumps, also back. A wait is over, and the machine is up, by what
 * went on alone.
 */
export interface SettableClock extends Clock, Machine {
  advance(length: Duration): void;
  /** Sets the clock by so many milliseconds, forward or back. */
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
