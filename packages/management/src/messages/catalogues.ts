import type { Language } from '@pinfold/http/internal';
import type { Message } from '../i18n.ts';
import * as en from './en.ts';
import * as ja from './ja.ts';

/** Everything the pages say; what only scripts say is bundled with them. */
export type MessageId = keyof typeof en.pages | keyof typeof en.rules;

/** The messages of each language. */
export const catalogues: Readonly<Record<Language, Readonly<Record<MessageId, Message>>>> = {
  en: { ...en.pages, ...en.rules },
  ja: { ...ja.pages, ...ja.rules },
};
