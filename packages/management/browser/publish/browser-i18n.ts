import { type Message, Words } from '../../src/i18n.ts';
import { type Language, parseLanguage } from '../../src/language.ts';
import { publishing as en } from '../../src/messages/en/publishing.ts';
import { rules as enRules } from '../../src/messages/en/rules.ts';
import { publishing as ja } from '../../src/messages/ja/publishing.ts';
import { rules as jaRules } from '../../src/messages/ja/rules.ts';

/** What is said while publishing. */
export type PublishingId = keyof typeof en | keyof typeof enRules;

/** The words of the page's language, in the person's time zone. */
export type Speech = Words<PublishingId>;

const CATALOGUES: Readonly<Record<Language, Readonly<Record<PublishingId, Message>>>> = {
  en: { ...en, ...enRules },
  ja: { ...ja, ...jaRules },
};

export function speech(): Speech {
  const language = parseLanguage(document.documentElement.lang) ?? 'en';
  return new Words(language, new Intl.DateTimeFormat().resolvedOptions().timeZone, CATALOGUES[language]);
}
