import type { Clock, Duration, Instant } from '@pinfold/core';
import { START } from '@pinfold/test-contracts/fixtures';

/** A clock for tests of pauses: a short pause ends immediately, a deadline passes when the test lets it. */
export interface PauseClock extends Clock {
  /** The requested pauses, in milliseconds. */
  readonly pauses: readonly number[];
  /** Lets all current deadlines pass. */
  passDeadlines(): void;
}

/** The shortest time that counts as a deadline. */
const DEADLINE = 25_000;

export function createPauseClock(): PauseClock {
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
