import { type Clock, Fault, type Instant, isFault, seconds } from '@pinfold/core';
import { raceSignal } from '@pinfold/core/adapter';
import { UnavailableError } from '@pinfold/http/internal';

/** How long a viewer waits for the first bytes, and how long the circuit stays open. */
const TIMEOUT = seconds(5);

/** `Retry-After` of a refused request. */
const RETRY_SECONDS = 5;

/** Timeouts in a row that open the circuit. */
const MAX_TIMEOUTS = 5;

const TIMED_OUT = new Fault('storage_unavailable', 'the storage gave no byte within 5 seconds');

/**
 * A circuit breaker: gives the storage five seconds for the first bytes of an answer. After five timeouts it opens for
 * five seconds, in which requests fail at once; then a single request tries.
 */
export class CircuitBreaker {
  readonly #clock: Clock;
  #timeouts = 0;
  #openedAt: Instant | undefined;
  #isTrying = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Reads the first bytes of an answer.
   *
   * @param read must stop when its signal aborts: the viewer has left, or the timeout is over.
   * @throws UnavailableError after a timeout or while the circuit is open; what `read` throws.
   */
  async first<Bytes>(signal: AbortSignal, read: (end: AbortSignal) => Promise<Bytes>): Promise<Bytes> {
    signal.throwIfAborted();
    const isTrial = this.#enter();
    const end = new AbortController();
    const finished = new AbortController();
    this.#clock.sleep(TIMEOUT, finished.signal).then(
      () => end.abort(TIMED_OUT),
      (error: unknown) => finished.signal.aborted || end.abort(error),
    );
    const leave = (): void => end.abort(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    try {
      const bytes = await raceSignal(read(end.signal), end.signal);
      this.#recordAnswer();
      return bytes;
    } catch (error) {
      throw this.#recordFailure(error, isTrial);
    } finally {
      if (isTrial) this.#isTrying = false;
      signal.removeEventListener('abort', leave);
      // Without a reason, `abort` would create an error and its stack: a tenth of the time of a file that is not cached.
      finished.abort(null);
    }
  }

  /** Throws while the circuit is open. If it is half open, makes this request its trial, and returns true. */
  #enter(): boolean {
    if (this.#openedAt === undefined) return false;
    const passed = this.#clock.now() - this.#openedAt;
    // If the clock was set back, `passed` is negative.
    if (this.#isTrying || (passed >= 0 && passed < TIMEOUT)) throw new UnavailableError(RETRY_SECONDS);
    this.#isTrying = true;
    return true;
  }

  #recordAnswer(): void {
    this.#timeouts = 0;
    this.#openedAt = undefined;
  }

  /** Records a failed read, and returns the error to throw. */
  #recordFailure(error: unknown, wasTrial: boolean): unknown {
    const isTimeout = error === TIMED_OUT;
    const isUnavailable = isFault(error) && error.code === 'storage_unavailable';
    if (isTimeout) this.#timeouts += 1;
    // Only `storage_unavailable` means that the storage did not answer.
    else if (isFault(error) && !isUnavailable) this.#recordAnswer();
    if ((isTimeout && this.#timeouts === MAX_TIMEOUTS) || (wasTrial && isUnavailable))
      this.#openedAt = this.#clock.now();
    return isTimeout ? new UnavailableError(RETRY_SECONDS, { cause: TIMED_OUT }) : error;
  }
}
