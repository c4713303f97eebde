import {
  after,
  type Clock,
  type Duration,
  duration,
  type Instant,
  instant,
  type Machine,
} from '@pinfold/core';
import { raceSignal } from '@pinfold/core/adapter';

/** A clock that stands still until `advance` moves it, and a machine that has been up since 1970. */
export interface ManualClock extends Clock, Machine {
  /** Moves the clock, and wakes every sleeper whose time has come. */
  advance(length: Duration): void;
}

/**
 * Makes a {@link ManualClock}.
 *
 * @param start 2026-11-20T12:00:00.000Z when absent.
 * @example
 * import { days } from '@pinfold/core';
 * import { createManualClock } from '@pinfold/memory';
 *
 * const clock = createManualClock();
 * clock.advance(days(7));
 * new Date(clock.now()).toISOString(); // '2026-11-27T12:00:00.000Z'
 */
export function createManualClock(start: Instant = instant(Date.UTC(2026, 10, 20, 12))): ManualClock {
  let present = start;
  const sleepers = new Set<{ readonly until: Instant; readonly wake: () => void }>();
  return {
    now: () => present,
    uptime: () => ({ boot: 'manual', elapsed: duration(present) }),
    sleep: (length, signal) => {
      const { promise, resolve: wake } = Promise.withResolvers<void>();
      const sleeper = { until: after(present, length), wake };
      sleepers.add(sleeper);
      return raceSignal(promise, signal).finally(() => sleepers.delete(sleeper));
    },
    advance: (length) => {
      present = after(present, length);
      for (const { until, wake } of sleepers) if (until <= present) wake();
    },
  };
}
