import { isFault } from '@pinfold/core';

/** The command was called in a wrong way. Ends with exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

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
  /** For `--json`; `failed` when absent. */
  readonly code?: string;
  /** The command has already printed its report: `--json` prints nothing more. */
  readonly reported?: boolean;
}

/** A command failed for a reason that its user can act on. Ends with exit code 1. */
export class CommandFailure extends Error {
  readonly json: FailureJson | undefined;
  readonly exitCode: 1 | 3 = 1;

  constructor(message: string, { json, code = 'failed', reported, ...options }: FailureOptions = {}) {
    super(message, options);
    this.name = 'CommandFailure';
    this.json = reported ? undefined : (json ?? { code, detail: message });
  }
}

export function isNotFound(error: unknown): error is CommandFailure {
  return error instanceof CommandFailure && error.json?.code === 'not_found';
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
    return { code: 'settings', detail: error.message };
  if (isFault(error)) return { code: error.code, detail: reasonOf(error) };
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

const MAX_BYTES = 65_536;

/**
 * Reads the first line of a pipe or a file, as UTF-8, or as UTF-16 where it begins with the byte order mark of UTF-16, as
 * files of Windows do. The mark and the line end are no part of it.
 *
 * @throws UsageError for other encodings: a password that is decoded with losses opens nothing.
 */
export async function readFirstLine(from: AsyncIterable<Uint8Array | string>): Promise<string> {
  let bytes = new Uint8Array();
  for await (const piece of from) {
    bytes = Buffer.concat([bytes, typeof piece === 'string' ? Buffer.from(piece) : piece]);
    const end = endOfLine(bytes);
    if (end !== -1) return decoded(bytes.subarray(0, end));
    if (bytes.length > MAX_BYTES)
      throw new UsageError('the first line on standard input has more than 64 KiB');
  }
  if (bytes.length === 0) throw new UsageError('a line is needed on standard input');
  return decoded(bytes);
}

/** Where the line feed of the first line begins; -1 if there is none yet. */
function endOfLine(bytes: Uint8Array): number {
  const encoding = encodingOf(bytes);
  if (encoding === 'utf-8') return bytes.indexOf(0x0a);
  const low = encoding === 'utf-16le' ? 0 : 1;
  for (let at = 2; at + 1 < bytes.length; at += 2)
    if (bytes[at + low] === 0x0a && bytes[at + 1 - low] === 0) return at;
  return -1;
}

function encodingOf([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

function decoded(bytes: Uint8Array): string {
  const text = textOf(bytes);
  // UTF-16 without its mark is read as UTF-8 with a NUL beside each letter.
  if (text === undefined || text.includes('\0'))
    throw new UsageError(
      'standard input is not UTF-8: write it in UTF-8, or as UTF-16 with a byte order mark',
    );
  return text.split('\r', 1)[0] ?? '';
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
