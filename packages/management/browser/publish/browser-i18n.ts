import { type Language, parseLanguage } from '@pinfold/http/internal/language';
import { type Message, Words } from '../../src/i18n.ts';
import * as en from '../../src/messages/en.ts';
import * as ja from '../../src/messages/ja.ts';

/** What is said while publishing. */
export type PublishingId = keyof typeof en.publishing | keyof typeof en.rules;

/** The words of the page's language, in the person's time zone. */
export type Speech = Words<PublishingId>;

const CATALOGUES: Readonly<Record<Language, Readonly<Record<PublishingId, Message>>>> = {
  en: { ...en.publishing, ...en.rules },
  ja: { ...ja.publishing, ...ja.rules },
};

export function speech(): Speech {
  const language = parseLanguage(document.documentElement.lang) ?? 'en';
  return new Words(language, new Intl.DateTimeFormat().resolvedOptions().timeZone, CATALOGUES[language]);
}
