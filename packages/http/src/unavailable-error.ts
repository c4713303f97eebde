/** Answered with 503: the client should try again later. */
export class UnavailableError extends Error {
  /** How much later. */
  readonly seconds: number;

  /** @param options `cause` is what the log reports; absent: nothing. */
  constructor(seconds: number, options?: { readonly cause: unknown }) {
    super(undefined, options);
    this.seconds = seconds;
  }
}
