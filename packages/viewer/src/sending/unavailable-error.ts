/** Answered with 503: the viewer should try again later. */
export class TryLater extends Error {
  /** After so many seconds. */
  readonly seconds: number;

  /** @param options `cause` is what the log should have; without one, the answer is no news. */
  constructor(seconds: number, options?: { readonly cause: unknown }) {
    super(undefined, options);
    this.seconds = seconds;
  }
}
