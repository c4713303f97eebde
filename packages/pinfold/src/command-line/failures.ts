import { isFault, type RefusalCode } from '@pinfold/core';
import { causesOf } from '@pinfold/core/internal';

/** The command line is wrong. Exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The codes of failures that no server answered. */
export type LocalCode =
  | 'cannot_write'
  | 'interrupted'
  | 'invalid_answer'
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
  /** Printed by `--json` instead of code and message. */
  readonly json?: FailureJson;
  /** The command has already printed its report: `--json` prints nothing more. */
  readonly reported?: true;
}

/** The source of a failure's JSON: a code, the JSON itself, or nothing if it was reported. */
type FailureDetails =
  | LocalCode
  | RefusalCode
  | (FailureOptions &
      (
        | { readonly code: LocalCode | RefusalCode }
        | { readonly json: FailureJson }
        | { readonly reported: true }
      ));

/** The command failed for a reason that the user can act on. Exit code 1. */
export class CommandFailure extends Error {
  readonly json: FailureJson | undefined;
  readonly exitCode: 1 | 3 = 1;

  constructor(message: string, details: FailureDetails) {
    const options = typeof details === 'string' ? { code: details } : details;
    super(message, options);
    this.name = 'CommandFailure';
    this.json = jsonOf(message, options);
  }
}

function jsonOf(detail: string, details: Exclude<FailureDetails, string>): FailureJson | undefined {
  if (details.reported) return undefined;
  return details.json ?? ('code' in details ? { code: details.code, detail } : undefined);
}

/** Whether the API refused something with one of these codes. */
export function isRefusedWith(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.some((code) => code === error.code);
}

/** A temporary failure. Exit code 3. */
export class UnavailableError extends CommandFailure {
  override readonly exitCode = 3;

  constructor(message: string, options: FailureOptions = {}) {
    super(message, { code: 'unavailable', ...options });
    this.name = 'UnavailableError';
  }
}

/** A failure as `--json` prints it; `undefined` if the command has reported it already. */
export function toFailureJson(error: unknown): FailureJson | undefined {
  if (error instanceof CommandFailure) return error.json;
  if (error instanceof UsageError) return { code: 'usage', detail: error.message };
  if (isUnavailable(error)) return { code: 'unavailable', detail: formatReason(error) };
  if (error instanceof Error && error.name === 'SettingsError')
    return { code: 'usage', detail: error.message };
  if (isFault(error)) return { code: 'unreadable', detail: formatReason(error) };
  return { code: 'internal_error', detail: error instanceof Error ? error.message : 'failed' };
}

/** Whether a database or storage is temporarily unavailable, even if the error names its setting. */
export function isUnavailable(error: unknown): error is Error {
  const fault = error instanceof Error && error.name === 'SettingsError' ? error.cause : error;
  return isFault(fault) && fault.retryable;
}

/** One line for failures that the user can act on; the stack for bugs. */
export function formatReason(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  if (error instanceof CommandFailure || error.name === 'SettingsError') return error.message;
  if (!isFault(error)) return error.stack ?? error.message;
  const cause = rootCauseOf(error)?.message ?? '';
  return `${error.message} (${error.code})${error.message.includes(cause) ? '' : `: ${cause}`}`;
}

/** The first cause of an error: those in between say which step of a program failed, not why. */
export function rootCauseOf({ cause }: Error): Error | undefined {
  return Array.from(causesOf(cause)).at(-1);
}

/** Runs a task with files or pipes; turns a system error into a CommandFailure. */
export async function explainSystemErrors<Result>(
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
