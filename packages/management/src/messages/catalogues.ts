import type { EventType } from '@pinfold/core';
import type { Language } from '@pinfold/http/internal';
import { REFUSAL_TEXTS, type RefusalTextId, textsIn } from '@pinfold/http/internal/texts';
import type { Message } from '../i18n.ts';
import { administration, events, history, signingIn } from './administration.ts';
import { apiKeys } from './api-key-messages.ts';
import { names } from './name-messages.ts';
import { publications, views } from './publications.ts';
import { shared } from './publishing.ts';
import { type CodeId, codesIn, messagesIn } from './texts.ts';

const PAGES = {
  ...publications,
  ...views,
  ...apiKeys,
  ...names,
  ...signingIn,
  ...history,
  ...events,
  ...administration,
  ...shared,
};

/** Texts of both the server and the browser. */
export type SharedId = CodeId | keyof typeof shared;

/** Texts of pages. Texts of scripts alone are bundled with the scripts. */
export type MessageId =
  | EventType
  | keyof typeof administration
  | keyof typeof apiKeys
  | keyof typeof history
  | keyof typeof names
  | keyof typeof publications
  | keyof typeof signingIn
  | keyof typeof views
  | RefusalTextId
  | SharedId;

type Catalogue = Readonly<Record<MessageId, Message>>;

function catalogueIn(language: Language): Catalogue {
  return { ...messagesIn(language, PAGES), ...textsIn(language, REFUSAL_TEXTS), ...codesIn(language) };
}

/** The messages of the pages, without those of scripts alone. */
export const catalogues: Readonly<Record<Language, Catalogue>> = {
  en: catalogueIn('en'),
  ja: catalogueIn('ja'),
};
