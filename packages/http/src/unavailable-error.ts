/** Answered with 503: the client should try again later. */
export class UnavailableError extends Error {
  /** The value of `Retry-After`. */
  readonly seconds: number;

  /** @param options `cause` is the error for the log; absent: none. */
  constructor(seconds: number, options?: { readonly cause: unknown }) {
    super(undefined, options);
    this.seconds = seconds;
  }
}
