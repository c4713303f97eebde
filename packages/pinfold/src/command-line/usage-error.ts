/** The command was not called as it can be. Ends with exit code 2. */
export class UsageError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'UsageError';
  }
}
