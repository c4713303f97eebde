/** Answered with 503: the viewer should try again later. */
export class UnavailableError extends Error {
  /** Seconds of `Retry-After`. */
  readonly seconds: number;

  /** @param options `cause` is what the log reports; absent: nothing. */
  constructor(seconds: number, options?: { readonly cause: unknown }) {
    super(undefined, options);
    this.seconds = seconds;
  }
}
