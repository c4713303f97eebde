import type { KeptWarning } from '@pinfold/core';
import type { Words } from './i18n.ts';
import type { SharedId } from './messages/catalogues.ts';

/** All warnings of one rule about what was published. */
export interface RemarkGroup {
  readonly message: SharedId;
  readonly remarks: readonly Remark[];
}

/** Where something was seen, and what, empty where there is no more to say; `lang` where it is not the person's. */
export interface Remark {
  readonly path: string;
  readonly seen: string;
  readonly lang?: 'en';
}

/** Remarks in the order they came, one group a rule. */
export function groupRemarks(
  warnings: readonly KeptWarning[],
  words: Words<SharedId>,
): readonly RemarkGroup[] {
  return [...Map.groupBy(warnings, ({ rule }) => rule)].map(([rule, own]) => ({
    // A script may be older than the server it talks to.
    message: words.has(rule) ? rule : 'otherRule',
    remarks: own.map((warning) => remarkOf(warning, words)).filter(({ path, seen }) => path + seen !== ''),
  }));
}

function remarkOf(warning: KeptWarning, words: Words<SharedId>): Remark {
  const path = 'path' in warning ? (warning.path ?? '') : '';
  if ('detail' in warning) return { path, seen: warning.detail, lang: 'en' };
  switch (warning.rule) {
    case 'case_mismatch':
      return { path, seen: words.say('caseMismatchSeen', { ...warning }) };
    case 'broken_reference':
    case 'absolute_reference':
      return { path, seen: warning.target };
    case 'possible_secret':
      return { path, seen: words.say(warning.secret) };
    default:
      return { path, seen: '' };
  }
}
