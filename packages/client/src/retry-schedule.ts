import type { PinfoldError } from './pinfold-error.ts';

/** The functions of the runtime that a schedule uses. */
export interface Timing {
  /** Milliseconds of a clock that never goes back. */
  now(): number;
  /** Rejects with the signal's reason when it is aborted. */
  sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
  /** From 0 up to, but not including, 1. */
  random(): number;
}

/** A further attempt, for those who show progress. */
export interface Retry {
  readonly error: PinfoldError;
  /** Milliseconds until the attempt. */
  readonly wait: number;
}

const FIRST_WAIT = 500;
const LONGEST_WAIT = 20_000;

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

/** When the attempts of one call begin: all of them within a time after the first failure. */
export class RetrySchedule {
  readonly #retryFor: number;
  readonly #timing: Timing;
  readonly #onRetry: ((retry: Retry) => void) | undefined;
  readonly #signal: AbortSignal | undefined;
  #firstFailure: number | undefined;
  #longest = FIRST_WAIT;

  constructor(
    retryFor: number,
    timing: Timing,
    onRetry: ((retry: Retry) => void) | undefined,
    signal: AbortSignal | undefined,
  ) {
    this.#retryFor = retryFor;
    this.#timing = timing;
    this.#onRetry = onRetry;
    this.#signal = signal;
  }

  /**
   * Waits until it is time for the next attempt: as long as the server asks for, else exponentially longer with full
   * jitter.
   *
   * @param within milliseconds after the first failure in which the attempt must begin.
   * @throws the error, at once, when the attempt would begin too late.
   */
  async wait(error: PinfoldError, within: number = this.#retryFor): Promise<void> {
    const now = this.#timing.now();
    this.#firstFailure ??= now;
    // A server that asks for no pause at all must not be asked in a tight loop.
    const asked = (error.retryAfter ?? 0) * 1_000;
    const wait = asked > 0 ? asked : this.#longest * this.#timing.random();
    this.#longest = Math.min(this.#longest * 2, LONGEST_WAIT);
    const left = this.#firstFailure + Math.min(within, this.#retryFor) - now;
    if (this.#retryFor === 0 || wait > left) throw error;
    this.#onRetry?.({ error, wait });
    await this.#timing.sleep(wait, this.#signal);
  }
}
