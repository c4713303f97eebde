/** In milliseconds. Longer than the lease of a killed node (60 s) and a failover of the database. */
export const PUBLISH_RETRY_FOR = 150_000;

/** The time that all requests of a command may spend on retries; only time during failures counts. */
export class RetryBudget {
  readonly #now: () => number;
  #left: number;
  #failedAt: number | undefined;

  constructor(milliseconds: number, now: () => number = () => performance.now()) {
    this.#left = milliseconds;
    this.#now = now;
  }

  /** Milliseconds left, at least 0. */
  get left(): number {
    const failingFor = this.#failedAt === undefined ? 0 : this.#now() - this.#failedAt;
    return Math.max(0, this.#left - failingFor);
  }

  /** Milliseconds that were left when the current failure began. */
  get leftAtFailure(): number {
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
