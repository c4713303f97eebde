import { type Clock, duration, seconds } from '@pinfold/core';
import { retryAfter } from './s3-failure.ts';

const TRIES = 4;
const FIRST_PAUSE = 100;

/** The call fails when the store asks for a longer wait; the caller may retry later. */
const MAX_PAUSE = seconds(20);

/** Runs a call until it succeeds, up to four times, while its failure is one that `mayPass`. */
export async function tryAgain<Result>(
  clock: Clock,
  within: AbortSignal,
  mayPass: (error: unknown) => boolean,
  call: () => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      const pause = Math.max(backOff(tries), retryAfter(error));
      if (within.aborted || !mayPass(error) || tries === TRIES || pause > MAX_PAUSE) throw error;
      await clock.sleep(duration(Math.ceil(pause)), within);
    }
  }
}

/** Exponential backoff with jitter: each delay doubles, and is multiplied by 1 to 2 at random. */
function backOff(tries: number): number {
  return FIRST_PAUSE * 2 ** (tries - 1) * (1 + Math.random());
}
