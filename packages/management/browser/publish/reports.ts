import { type Html, html } from '@pinfold/http/internal/html';
import type { Speech } from './browser-i18n.ts';

const NAMED = 5;

/** The first few names, and how many more there are. */
function namesIn(words: Speech, names: readonly string[]): string {
  const first = names.slice(0, NAMED).join(', ');
  const more = names.length - NAMED;
  return more > 0 ? `${first} ${words.say('andMore', { count: more })}` : first;
}

/** A sentence about what is or would be left out; nothing when that is nothing. */
export function leftOutLine(
  words: Speech,
  message: 'leftOut' | 'wouldLeaveOut',
  names: readonly string[],
): Html | undefined {
  if (names.length === 0) return undefined;
  return html`<p class="quiet" dir="auto">${words.say(message, { names: namesIn(words, names) })}</p>`;
}
