import { isFault } from '@pinfold/core';
import { isError } from '@pinfold/core/internal';
import { rootCauseOf } from '../command-line/failures.ts';
import { escapeControls } from '../command-line/terminal.ts';
import { SettingsError } from './settings-error.ts';
import type { OptionName } from './variables.ts';

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
