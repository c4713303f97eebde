import { setTimeout } from 'node:timers/promises';
import type { Clock, Duration, Instant } from '@pinfold/core';

/** The longest delay that Node's timers take; a longer one would fire at once. */
const LONGEST_DELAY = 2_147_483_647;

/**
 * The host's clock.
 *
 * A sleep keeps the process alive; abort its signal to stop it.
 *
 * @example
 * import { seconds } from '@pinfold/core';
 * import { SystemClock } from '@pinfold/platform-node';
 *
 * const clock = new SystemClock();
 * await clock.sleep(seconds(0.01));
 */
export class SystemClock implements Clock {
  now(): Instant {
    return Date.now() as Instant;
  }

  async sleep(length: Duration, signal?: AbortSignal): Promise<void> {
    // Steps of the wall clock must not lengthen or shorten a sleep.
    const end = performance.now() + length;
    let left: number = length;
    do {
      try {
        await setTimeout(Math.min(Math.ceil(left), LONGEST_DELAY), undefined, { signal });
      } catch (error) {
        throw signal?.aborted ? signal.reason : error;
      }
      // Timers can fire a fraction of a millisecond early.
      left = end - performance.now();
    } while (left > 0);
  }
}
