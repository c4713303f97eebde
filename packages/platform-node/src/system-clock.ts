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

  sleep(length: Duration, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // Steps of the wall clock must not lengthen or shorten a sleep.
    const end = performance.now() + length;
    let timer = setTimeout(wake, Math.min(length, LONGEST_DELAY));
    signal?.addEventListener('abort', stop);

    // Timers can fire a fraction of a millisecond early.
    function wake(): void {
      const left = end - performance.now();
      if (left > 0) {
        timer = setTimeout(wake, Math.min(Math.ceil(left), LONGEST_DELAY));
        return;
      }
      signal?.removeEventListener('abort', stop);
      resolve();
    }
    function stop(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      reject(signal?.reason);
    }
    return promise;
  }
}
