import { isFault } from '@pinfold/core';
import { SettingsError } from './settings-error.ts';

const LONGEST_REASON = 300;

/**
 * Runs work that a setting asks for.
 *
 * @throws SettingsError when a store cannot be used as the setting says, caused by the fault: for an operator the value
 * is wrong.
 */
export async function orSettingsError<Result>(
  variable: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isFault(error)) throw error;
    throw new SettingsError(variable, `cannot be used: ${reasonOf(error)}`, { cause: error });
  }
}

/** On one line. Node's error for a connection that failed at several addresses has a code, and no message. */
function reasonOf({ message, cause }: Error): string {
  if (!(cause instanceof Error)) return message;
  const code = 'code' in cause ? String(cause.code) : cause.name;
  const reason = (cause.message || code).replaceAll(/\s+/g, ' ').slice(0, LONGEST_REASON);
  return `${message} (${reason})`;
}
