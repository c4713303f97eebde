import type { ClientOptions } from './options.ts';
import type { PinfoldError } from './pinfold-error.ts';

export interface Timing {
  /** Milliseconds of a monotonic clock. */
  now(): number;
  /** Rejects with the signal's reason when it is aborted. */
  sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
  /** From 0 up to, but not including, 1. */
  random(): number;
}

/** A further attempt, as `onRetry` receives it. */
export interface Retry {
  readonly error: PinfoldError;
  /** Milliseconds until the attempt. */
  readonly wait: number;
}

const FIRST_WAIT = 500;
const MAX_WAIT = 20_000;

export const realTiming: Timing = {
  now: () => performance.now(),
  random: () => Math.random(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', abort);
        resolve();
      }, milliseconds);
      const abort = (): void => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', abort, { once: true });
    }),
};

/**
 * Waits as long as the server asks for, else exponentially longer with full jitter.
 * @param within milliseconds after the first failure in which the attempt must begin.
 * @throws the error, at once, when the attempt would begin too late.
 */
export type WaitToRetry = (error: PinfoldError, within?: number) => Promise<void>;

/** Makes the waits of one call, whose attempts all begin within `retryFor` milliseconds after the first failure. */
export function retryWaits(
  { retryFor, onRetry }: { readonly retryFor: number; readonly onRetry?: ClientOptions['onRetry'] },
  signal: AbortSignal | undefined,
  { now, random, sleep }: Timing = realTiming,
): WaitToRetry {
  let firstFailure: number | undefined;
  let longest = FIRST_WAIT;
  return async (error, within = retryFor) => {
    firstFailure ??= now();
    // Without jitter, `Retry-After: 0` would be a tight loop.
    const asked = (error.retryAfter ?? 0) * 1_000;
    const wait = asked > 0 ? asked : longest * random();
    longest = Math.min(longest * 2, MAX_WAIT);
    const left = firstFailure + Math.min(within, retryFor) - now();
    if (retryFor === 0 || wait > left) throw error;
    onRetry?.({ error, wait });
    await sleep(wait, signal);
  };
}
