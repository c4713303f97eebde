/** Why a viewer is asked to come again: a 503, whatever the reason. */
export class TryLater extends Error {
  /** After so many seconds. */
  readonly seconds: number;

  /** @param options `cause` is what the log should have; without one, the answer is no news. */
  constructor(seconds: number, options?: { readonly cause: unknown }) {
    super(undefined, options);
    this.seconds = seconds;
  }
}
