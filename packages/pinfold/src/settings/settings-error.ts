import { isFault } from '@pinfold/core';
import { isError } from '@pinfold/core/internal';
import { rootCauseOf } from '../command-line/failures.ts';
import { escapeControls } from '../command-line/terminal.ts';
import { findVariable, formatOption, type OptionName } from './variables.ts';

/**
 * A setting or an option is wrong, so Pinfold cannot start. The message is one line. It names the environment variable and
 * the option, and never shows a value, which may be secret.
 *
 * @example
 * import { readSettings, SettingsError } from 'pinfold';
 *
 * try {
 *   readSettings({ PINFOLD_FILES: 'many' });
 * } catch (error) {
 *   if (!(error instanceof SettingsError)) throw error;
 *   console.error(error.message); // PINFOLD_FILES (limits.files) must be a whole number from 1 to 10000
 * }
 */
export class SettingsError extends Error {
  /** The option's name: `publicUrl`, or `limits.files`. */
  readonly option: string;
  /** The environment variable that sets the option, such as `PINFOLD_PUBLIC_URL`; absent if only code can set it. */
  readonly variable: string | undefined;
  /** The message without the names. */
  readonly expectation: string;

  /** @param details `variable` names the source of the value if it is not the option's own variable. */
  constructor(
    option: string,
    expectation: string,
    {
      cause,
      variable = findVariable(option),
    }: { readonly cause?: unknown; readonly variable?: string | undefined } = {},
  ) {
    super(`${formatOption(option, variable)} ${expectation}`, cause === undefined ? {} : { cause });
    this.name = 'SettingsError';
    this.option = option;
    this.variable = variable;
    this.expectation = expectation;
  }
}

const MAX_REASON_LENGTH = 300;

/** Runs work that depends on a setting; throws a SettingsError for a fault, since the operator must change it. */
export async function orSettingsError<Result>(
  option: OptionName,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isFault(error)) throw error;
    throw new SettingsError(option, `cannot be used: ${errorText(error)}`, { cause: error });
  }
}

/**
 * The message of an error, and of the first cause of a fault unless it repeats that one, in one line that is safe for a
 * terminal.
 */
export function errorText(error: unknown): string {
  if (!isError(error)) return 'failed';
  const message = formatMessage(error);
  const rootCause = isFault(error) ? rootCauseOf(error) : undefined;
  const cause = rootCause === undefined ? '' : formatMessage(rootCause);
  return message.includes(cause) ? message : `${message} (${cause})`;
}

/** Node's error for a connection that failed at several addresses has a code, and no message. */
function formatMessage(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return escapeControls((error.message || code).replaceAll(/\s+/g, ' ')).slice(0, MAX_REASON_LENGTH);
}
