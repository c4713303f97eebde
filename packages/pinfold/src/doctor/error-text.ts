import { isFault } from '@pinfold/core';
import { escapeControls } from '../command-line/escape-control-characters.ts';

const LONGEST = 300;

/** The message of an error and its cause, in one line that is safe for a terminal. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  const cause = isFault(error) && error.cause instanceof Error ? ` (${messageOf(error.cause)})` : '';
  return messageOf(error) + cause;
}

/** An AggregateError of several addresses has a code and no message. */
function messageOf(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return escapeControls((error.message || code).replaceAll(/\s+/g, ' ')).slice(0, LONGEST);
}
