/** The command was not called as it can be. Ends with exit code 2. */
export class UsageError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'UsageError';
  }
}

/** A failure for scripts, as `--json` prints it. */
export interface FailureJson {
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly object[];
  readonly status?: number | undefined;
  readonly idempotency_key?: string | undefined;
}

/** A command that could not do what it was asked to, for a reason its user can act on. Ends with exit code 1. */
export class CommandFailure extends Error {
  readonly json: FailureJson | undefined;

  constructor(
    message: string,
    { json, ...options }: { readonly cause?: unknown; readonly json?: FailureJson } = {},
  ) {
    super(message, options);
    this.name = 'CommandFailure';
    this.json = json;
  }
}
