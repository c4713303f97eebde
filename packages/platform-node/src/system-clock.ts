import type { Clock, Duration, Instant } from '@pinfold/core';

/** The longest delay that Node's timers take; a longer one would fire at once. */
const MAX_DELAY = 2_147_483_647;

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

  /** By a timer of its own: one of `node:timers/promises` makes an error with its stack for each abort. */
  async sleep(length: Duration, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    // Steps of the wall clock must not lengthen or shorten a sleep.
    const end = performance.now() + length;
    await new Promise<void>((resolve, reject) => {
      let timer: NodeJS.Timeout;
      const stop = (): void => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const wait = (left: number): void => {
        timer = setTimeout(woken, Math.min(Math.ceil(left), MAX_DELAY));
      };
      const woken = (): void => {
        // Timers can fire a fraction of a millisecond early.
        const left = end - performance.now();
        if (left > 0) wait(left);
        else {
          signal?.removeEventListener('abort', stop);
          resolve();
        }
      };
      signal?.addEventListener('abort', stop, { once: true });
      wait(length);
    });
  }
}
