import type { Clock, Duration, Instant } from '@pinfold/core';

/** The longest delay of Node's timers; a longer one would fire at once. */
const MAX_DELAY = 2_147_483_647;

/**
 * The clock of the host.
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

  /** Uses its own timer, because `node:timers/promises` creates an error with a stack for each abort. */
  async sleep(length: Duration, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    // Measured by the monotonic clock, so that a change of the system time does not affect a sleep.
    const end = performance.now() + length;
    await new Promise<void>((resolve, reject) => {
      let timer: NodeJS.Timeout;
      const onAbort = (): void => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const setTimer = (remaining: number): void => {
        timer = setTimeout(onTimer, Math.min(Math.ceil(remaining), MAX_DELAY));
      };
      const onTimer = (): void => {
        // Timers can fire a fraction of a millisecond early.
        const remaining = end - performance.now();
        if (remaining > 0) setTimer(remaining);
        else {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        }
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      setTimer(length);
    });
  }
}
