import type { Language } from '@pinfold/http/internal';
import type { RefusalTextId } from '@pinfold/http/internal/texts';
import type { Message } from '../i18n.ts';
import * as en from './en.ts';
import * as ja from './ja.ts';
import { type CodeId, codesIn, refusalsIn } from './texts.ts';

/** Texts of both the server and the browser. */
export type SharedId = CodeId | keyof typeof en.shared;

/** Texts of pages. Texts of scripts alone are bundled with the scripts. */
export type MessageId = keyof typeof en.pages | keyof typeof en.events | RefusalTextId | SharedId;

/** The messages of the pages, without those of scripts alone. */
export const catalogues: Readonly<Record<Language, Readonly<Record<MessageId, Message>>>> = {
  en: { ...en.pages, ...en.events, ...refusalsIn('en'), ...codesIn('en'), ...en.shared },
  ja: { ...ja.pages, ...ja.events, ...refusalsIn('ja'), ...codesIn('ja'), ...ja.shared },
};
