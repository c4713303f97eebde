import { parseLanguage } from '@pinfold/http/internal/language';
import { localZone, Messages } from '../../src/i18n.ts';
import type { SharedId } from '../../src/messages/catalogues.ts';
import { publishing, shared } from '../../src/messages/publishing.ts';
import { codesIn, messagesIn } from '../../src/messages/texts.ts';

export type PublishingId = keyof typeof publishing | SharedId;

export type BrowserMessages = Messages<PublishingId>;

export function browserMessages(): BrowserMessages {
  const language = parseLanguage(document.documentElement.lang) ?? 'en';
  const texts = messagesIn(language, { ...publishing, ...shared });
  return new Messages(language, localZone(), { ...texts, ...codesIn(language) });
}
