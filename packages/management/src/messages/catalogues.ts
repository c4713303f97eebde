import type { Message } from '../i18n.ts';
import type { Language } from '../language.ts';
import { administration as enAdministration } from './en/administration.ts';
import { history as enHistory } from './en/history.ts';
import { rules as enRules } from './en/rules.ts';
import { screen as enScreen } from './en/screen.ts';
import { signIn as enSignIn } from './en/sign-in.ts';
import { views as enViews } from './en/views.ts';
import { administration as jaAdministration } from './ja/administration.ts';
import { history as jaHistory } from './ja/history.ts';
import { rules as jaRules } from './ja/rules.ts';
import { screen as jaScreen } from './ja/screen.ts';
import { signIn as jaSignIn } from './ja/sign-in.ts';
import { views as jaViews } from './ja/views.ts';

/** Everything the pages say; what only scripts say is bundled with them. */
export type MessageId =
  | keyof typeof enAdministration
  | keyof typeof enScreen
  | keyof typeof enRules
  | keyof typeof enHistory
  | keyof typeof enSignIn
  | keyof typeof enViews;

/** The messages of a language. */
export const catalogues: Readonly<Record<Language, Readonly<Record<MessageId, Message>>>> = {
  en: { ...enAdministration, ...enScreen, ...enRules, ...enHistory, ...enSignIn, ...enViews },
  ja: { ...jaAdministration, ...jaScreen, ...jaRules, ...jaHistory, ...jaSignIn, ...jaViews },
};
