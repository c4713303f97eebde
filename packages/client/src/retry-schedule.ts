import type { ClientOptions } from './options.ts';
import type { PinfoldError } from './pinfold-error.ts';

export interface Timing {
  /** Milliseconds of a monotonic clock. */
  now(): number;
  /** Rejects with the signal's reason when it aborts. */
  sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
  /** From 0 up to, but not including, 1. */
  random(): number;
}

/** A planned retry, as `onRetry` receives it. */
export interface Retry {
  readonly error: PinfoldError;
  /** Milliseconds until the attempt. */
  readonly wait: number;
}

const FIRST_WAIT = 500;
const MAX_WAIT = 20_000;
/** A timer for longer ends at once. */
export const MAX_TIMER: number = 2 ** 31 - 1;

export const realTiming: Timing = {
  now: () => performance.now(),
  random: () => Math.random(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const timer = setTimeout(
        () => {
          signal?.removeEventListener('abort', abort);
          resolve();
        },
        Math.min(milliseconds, MAX_TIMER),
      );
      const abort = (): void => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', abort, { once: true });
    }),
};

/**
 * Waits as long as the server asks, else exponentially longer with full jitter.
 *
 * @param within the attempt must begin at most this many milliseconds after the first failure.
 *
 * @throws the error at once if the attempt would begin too late.
 */
export type WaitToRetry = (error: PinfoldError, within?: number) => Promise<void>;

/** Creates the waits of one call. All its attempts begin within `retryFor` milliseconds after the first failure. */
export function retryWaits(
  { retryFor, onRetry }: { readonly retryFor: number; readonly onRetry?: ClientOptions['onRetry'] },
  signal: AbortSignal | undefined,
  { now, random, sleep }: Timing = realTiming,
): WaitToRetry {
  let firstFailure: number | undefined;
  let waitLimit = FIRST_WAIT;
  return async (error, within = retryFor) => {
    firstFailure ??= now();
    // `Retry-After: 0` gets the jitter, too; otherwise it would be a tight loop.
    const requested = (error.retryAfter ?? 0) * 1_000;
    const wait = requested > 0 ? requested : waitLimit * random();
    waitLimit = Math.min(waitLimit * 2, MAX_WAIT);
    const remaining = firstFailure + Math.min(within, retryFor) - now();
    if (retryFor === 0 || wait > remaining) throw error;
    onRetry?.({ error, wait });
    await sleep(wait, signal);
  };
}
