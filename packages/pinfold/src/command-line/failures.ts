import { isFault, type RefusalCode } from '@pinfold/core';

/** The command was called in a wrong way. Ends with exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The codes of failures that no server answered. */
export type LocalCode =
  | 'cannot_write'
  | 'interrupted'
  | 'looks_like_project'
  | 'not_found'
  | 'unavailable'
  | 'unreadable'
  | 'usage'
  | 'warnings';

/** A failure for scripts, as `--json` prints it. */
export interface FailureJson {
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly object[];
  readonly status?: number | undefined;
  readonly idempotency_key?: string | undefined;
}

interface FailureOptions {
  readonly cause?: unknown;
  /** Overrides what `--json` prints. */
  readonly json?: FailureJson;
  /** The command has already printed its report: `--json` prints nothing more. */
  readonly reported?: true;
}

/** A failure has a code for `--json`, unless its options say what that prints. */
type Given =
  | LocalCode
  | RefusalCode
  | (FailureOptions &
      (
        | { readonly code: LocalCode | RefusalCode }
        | { readonly json: FailureJson }
        | { readonly reported: true }
      ));

/** A command failed for a reason that its user can act on. Ends with exit code 1. */
export class CommandFailure extends Error {
  readonly json: FailureJson | undefined;
  readonly exitCode: 1 | 3 = 1;

  constructor(message: string, given: Given) {
    const options = typeof given === 'string' ? { code: given } : given;
    super(message, options);
    this.name = 'CommandFailure';
    this.json = printedOf(message, options);
  }
}

function printedOf(detail: string, given: Exclude<Given, string>): FailureJson | undefined {
  if (given.reported) return undefined;
  return given.json ?? ('code' in given ? { code: given.code, detail } : undefined);
}

/** Whether the API refused something with one of these codes. */
export function isRefusedWith(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.some((code) => code === error.code);
}

/** A failure that may pass by itself. Ends with exit code 3. */
export class UnavailableError extends CommandFailure {
  override readonly exitCode = 3;

  constructor(message: string, options: FailureOptions = {}) {
    super(message, { code: 'unavailable', ...options });
    this.name = 'UnavailableError';
  }
}

/** A failure for programs; `undefined` if the command has reported it. */
export function failureJson(error: unknown): FailureJson | undefined {
  if (error instanceof CommandFailure) return error.json;
  if (error instanceof UsageError) return { code: 'usage', detail: error.message };
  if (isUnavailable(error)) return { code: 'unavailable', detail: reasonOf(error) };
  if (error instanceof Error && error.name === 'SettingsError')
    return { code: 'usage', detail: error.message };
  if (isFault(error)) return { code: 'unreadable', detail: reasonOf(error) };
  return { code: 'internal_error', detail: error instanceof Error ? error.message : 'failed' };
}

/** A database or storage is away; the setting that names it can be right. */
export function isUnavailable(error: unknown): error is Error {
  const fault = error instanceof Error && error.name === 'SettingsError' ? error.cause : error;
  return isFault(fault) && fault.retryable;
}

/** One line for a failure that a user can act on; a bug keeps its stack. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  if (error instanceof CommandFailure || error.name === 'SettingsError') return error.message;
  if (!isFault(error)) return error.stack ?? error.message;
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return `${error.message} (${error.code})${cause}`;
}

/** Works with files or pipes; an error of the system becomes a failure with one line. */
export async function reportingSystemErrors<Result>(
  task: () => Promise<Result>,
  code: 'unreadable' | 'cannot_write' = 'unreadable',
): Promise<Result> {
  try {
    return await task();
  } catch (error) {
    if (!(error instanceof Error) || !('syscall' in error) || !('code' in error)) throw error;
    if (error.code !== 'EPIPE') throw new CommandFailure(error.message, { cause: error, code });
    throw new CommandFailure('standard output was closed', { cause: error, code: 'cannot_write' });
  }
}
