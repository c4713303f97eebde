import type { Language } from '@pinfold/http/internal/language';
import {
  FAILURE_TEXTS,
  type FailureTextId,
  FINDING_TEXTS,
  type FindingTextId,
  INPUT_TEXTS,
  type InputTextId,
  textsIn,
} from '@pinfold/http/internal/texts';
import type { Message, Translated } from '../i18n.ts';

/** A code's message has the code as its id. */
export type CodeId = FailureTextId | FindingTextId | InputTextId;

/** Texts of broken rules and of warnings, the same as at every other door. */
export function codesIn(language: Language): Readonly<Record<CodeId, string>> {
  return textsIn(language, { ...FAILURE_TEXTS, ...FINDING_TEXTS, ...INPUT_TEXTS });
}

const PLACES: Readonly<Record<Language, keyof Translated & number>> = { en: 0, ja: 1 };

export function messagesIn<Id extends string>(
  language: Language,
  texts: Readonly<Record<Id, Translated>>,
): Readonly<Record<Id, Message>> {
  const messages = Object.entries<Translated>(texts).map(([id, text]) => [id, text[PLACES[language]]]);
  return Object.fromEntries(messages) as Readonly<Record<Id, Message>>;
}
