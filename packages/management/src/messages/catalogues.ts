import type { Language } from '@pinfold/http/internal';
import type { Message } from '../i18n.ts';
import * as en from './en.ts';
import * as ja from './ja.ts';

/** Texts of both the server and the browser. */
export type SharedId = keyof typeof en.codes | keyof typeof en.shared;

/** Everything the pages say; what only scripts say is bundled with them. Messages of codes have the codes' names. */
export type MessageId = keyof typeof en.pages | keyof typeof en.events | SharedId;

export const catalogues: Readonly<Record<Language, Readonly<Record<MessageId, Message>>>> = {
  en: { ...en.pages, ...en.events, ...en.codes, ...en.shared },
  ja: { ...ja.pages, ...ja.events, ...ja.codes, ...ja.shared },
};
