import type { Language } from '@pinfold/http/internal';
import type { Message } from '../i18n.ts';
import * as en from './en.ts';
import * as ja from './ja.ts';

/** Texts of both the server and the browser. */
export type SharedId = keyof typeof en.codes | keyof typeof en.shared;

/** Everything the pages say; what only scripts say is bundled with them. Messages of codes have the codes' names. */
export type MessageId = keyof typeof en.pages | keyof typeof en.events | keyof typeof en.refusals | SharedId;

/** All messages of every language, by the part of the screen that shows them. */
export const MESSAGES: Readonly<
  Record<Language, { readonly [Part in keyof typeof en]: Readonly<Record<keyof (typeof en)[Part], Message>> }>
> = { en, ja };

/** The messages of the pages, without those of scripts alone. */
export const catalogues = Object.fromEntries(
  Object.entries(MESSAGES).map(([language, { pages, events, refusals, codes, shared }]) => [
    language,
    { ...pages, ...events, ...refusals, ...codes, ...shared },
  ]),
) as Readonly<Record<Language, Readonly<Record<MessageId, Message>>>>;
