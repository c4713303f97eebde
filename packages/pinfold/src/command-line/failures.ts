/** The command was not called as it can be. Ends with exit code 2. */
export class UsageError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'UsageError';
  }
}

/** A command that could not do what it was asked to, for a reason its user can act on. Ends with exit code 1. */
export class CommandFailure extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'CommandFailure';
  }
}
