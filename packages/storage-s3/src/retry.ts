import { type Clock, duration, seconds } from '@pinfold/core';
import { retryAfter } from './s3-failure.ts';

const MAX_ATTEMPTS = 4;
const FIRST_PAUSE = 100;

/** If the store asks for a longer wait, the call fails instead; the caller may retry later. */
const MAX_PAUSE = seconds(20);

/** Runs a call until it succeeds, up to four times, while `isTransient` is true for its failure. */
export async function retry<Result>(
  clock: Clock,
  within: AbortSignal,
  isTransient: (error: unknown) => boolean,
  call: () => Promise<Result>,
): Promise<Result> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await call();
    } catch (error) {
      const pause = Math.max(backOff(attempts), retryAfter(error));
      if (within.aborted || !isTransient(error) || attempts === MAX_ATTEMPTS || pause > MAX_PAUSE)
        throw error;
      await clock.sleep(duration(Math.ceil(pause)), within);
    }
  }
}

/** Exponential backoff with jitter: the delay doubles each time, and is multiplied by 1 to 2 at random. */
function backOff(attempts: number): number {
  return FIRST_PAUSE * 2 ** (attempts - 1) * (1 + Math.random());
}
