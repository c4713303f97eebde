import { type Clock, Fault, type Instant, isFault, seconds } from '@pinfold/core';
import { raceSignal } from '@pinfold/core/adapter';
import { UnavailableError } from '@pinfold/http/internal';

/** How long a viewer waits for the first bytes, and how long the circuit stays open. */
const PATIENCE = seconds(5);

/** Seconds after which another try is worthwhile. */
const LATER = 5;

/** Timeouts in a row that open the circuit. */
const MAX_LATE = 5;

const LATE = new Fault('storage_unavailable', 'the storage gave no byte within 5 seconds');

/**
 * A circuit breaker: gives the storage five seconds for the first bytes of an answer. After five timeouts it opens for
 * five seconds, in which requests fail at once; then one request tries.
 */
export class CircuitBreaker {
  readonly #clock: Clock;
  #late = 0;
  #hungSince: Instant | undefined;
  #oneTries = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Reads the first bytes of an answer.
   *
   * @param read must stop reading when its signal aborts: the viewer has left, or the time is over.
   * @throws UnavailableError after a timeout or while the circuit is open; what `read` throws.
   */
  async first<Bytes>(signal: AbortSignal, read: (end: AbortSignal) => Promise<Bytes>): Promise<Bytes> {
    signal.throwIfAborted();
    const triesAlone = this.#enter();
    const end = new AbortController();
    const over = new AbortController();
    this.#clock.sleep(PATIENCE, over.signal).then(
      () => end.abort(LATE),
      (error: unknown) => over.signal.aborted || end.abort(error),
    );
    const leave = (): void => end.abort(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    try {
      const bytes = await raceSignal(read(end.signal), end.signal);
      this.#answered();
      return bytes;
    } catch (error) {
      throw this.#failed(error, triesAlone);
    } finally {
      if (triesAlone) this.#oneTries = false;
      signal.removeEventListener('abort', leave);
      // Without a reason it would make an error with its stack, a tenth of the time of a cold file.
      over.abort(null);
    }
  }

  /** Whether the circuit is half open and this request is its trial. */
  #enter(): boolean {
    if (this.#hungSince === undefined) return false;
    const passed = this.#clock.now() - this.#hungSince;
    // Negative if the clock was set back.
    if (this.#oneTries || (passed >= 0 && passed < PATIENCE)) throw new UnavailableError(LATER);
    this.#oneTries = true;
    return true;
  }

  #answered(): void {
    this.#late = 0;
    this.#hungSince = undefined;
  }

  /** Notes what a read ended with, and returns what to tell of it. */
  #failed(error: unknown, triedAlone: boolean): unknown {
    const isLate = error === LATE;
    const isAway = isFault(error) && error.code === 'storage_unavailable';
    if (isLate) this.#late += 1;
    // Only `storage_unavailable` means that the storage did not answer.
    else if (isFault(error) && !isAway) this.#answered();
    if ((isLate && this.#late === MAX_LATE) || (triedAlone && isAway)) this.#hungSince = this.#clock.now();
    return isLate ? new UnavailableError(LATER, { cause: LATE }) : error;
  }
}
