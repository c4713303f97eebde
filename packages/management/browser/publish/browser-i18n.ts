import { type Language, parseLanguage } from '@pinfold/http/internal/language';
import { type Message, Messages } from '../../src/i18n.ts';
import type { SharedId } from '../../src/messages/catalogues.ts';
import * as en from '../../src/messages/en.ts';
import * as ja from '../../src/messages/ja.ts';
import { codesIn } from '../../src/messages/texts.ts';
import { localZone } from '../local-zone.ts';

export type PublishingId = keyof typeof en.publishing | SharedId;

export type BrowserMessages = Messages<PublishingId>;

const CATALOGUES: Readonly<Record<Language, Readonly<Record<PublishingId, Message>>>> = {
  en: { ...en.publishing, ...codesIn('en'), ...en.shared },
  ja: { ...ja.publishing, ...codesIn('ja'), ...ja.shared },
};

export function browserMessages(): BrowserMessages {
  const language = parseLanguage(document.documentElement.lang) ?? 'en';
  return new Messages(language, localZone(), CATALOGUES[language]);
}
