import { isFault } from '@pinfold/core';
import { shownText } from '../command-line/escape-control-characters.ts';

const LONGEST = 300;

/** What an error says, in one line that a terminal may show. */
export function saidOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  const cause = isFault(error) && error.cause instanceof Error ? ` (${ownWords(error.cause)})` : '';
  return ownWords(error) + cause;
}

/** What was tried at several addresses has a code, and no message of its own. */
function ownWords(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return shownText((error.message || code).replaceAll(/\s+/g, ' ')).slice(0, LONGEST);
}
