import type { Clock, Duration, Instant } from '@pinfold/core';
import { START } from '@pinfold/test-contracts/fixtures';

/** A clock for tests of pauses: a short one is over at once, a deadline comes when it is told to. */
export interface HastyClock extends Clock {
  /** The pauses that were asked for, in milliseconds. */
  readonly pauses: readonly number[];
  /** Lets all deadlines pass that are being waited for. */
  passDeadlines(): void;
}

/** The least that is taken for a deadline. */
const DEADLINE = 25_000;

export function createHastyClock(): HastyClock {
  const pauses: number[] = [];
  const deadlines = new Set<() => void>();
  return {
    pauses,
    now: (): Instant => START,
    sleep: (length: Duration, signal?: AbortSignal) => {
      if (signal?.aborted) return Promise.reject(signal.reason);
      if (length < DEADLINE) {
        pauses.push(length);
        return Promise.resolve();
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      deadlines.add(resolve);
      signal?.addEventListener('abort', () => {
        deadlines.delete(resolve);
        reject(signal.reason);
      });
      return promise;
    },
    passDeadlines: () => {
      for (const pass of deadlines) pass();
    },
  };
}
