/** Longer than the lease of a node that died (60 s) and than the failover of a database, with a margin. */
export const PUBLISH_RETRY_FOR = 150_000;

/** The time for retries that all requests of a command share: the times from a failure to the next success, added up. */
export class RetryBudget {
  readonly #now: () => number;
  #left: number;
  #failedAt: number | undefined;

  constructor(milliseconds: number, now: () => number = () => performance.now()) {
    this.#left = milliseconds;
    this.#now = now;
  }

  /** Milliseconds, at least 0. */
  get left(): number {
    const running = this.#failedAt === undefined ? 0 : this.#now() - this.#failedAt;
    return Math.max(0, this.#left - running);
  }

  /** Milliseconds that were left when the failure began that lasts. */
  get atFailure(): number {
    return this.#left;
  }

  failed(): void {
    this.#failedAt ??= this.#now();
  }

  succeeded(): void {
    this.#left = this.left;
    this.#failedAt = undefined;
  }
}
