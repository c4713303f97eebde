import { type Html, html } from '@pinfold/http/internal';
import type { SignedInContext } from '../request/request-context.ts';
import type { Flash } from '../response/flash.ts';
import { layout, type PageParts } from './layout.ts';

export type AdministrationPart =
  | 'accounts'
  | 'allPublications'
  | 'takedowns'
  | 'history'
  | 'sessions'
  | 'service';

const PARTS: readonly (readonly [part: AdministrationPart, path: string])[] = [
  ['accounts', ''],
  ['allPublications', '/publications'],
  ['takedowns', '/takedowns'],
  ['history', '/history'],
  ['sessions', '/sessions'],
  ['service', '/service'],
];

export interface AdministrationPage extends Pick<PageParts, 'flash'> {
  readonly part: AdministrationPart;
  readonly title: string;
  readonly main: Html;
}

export const REASON_WRONG: Flash = { tone: 'bad', message: 'reasonWrong' };

export function administrationPage(
  visit: SignedInContext,
  { part, title, main, ...more }: AdministrationPage,
): Html {
  const { words, base, offers } = visit;
  const link = ([name, path]: (typeof PARTS)[number]) =>
    html`<a href="${base}/administration${path}"${name === part ? html` aria-current="true"` : undefined}>${words.say(name)}</a>`;
  return layout(visit, {
    ...more,
    title,
    signedIn: visit,
    part: 'administration',
    showsMode: part === 'service',
    main: html`<nav class="filters" aria-label="${words.say('administration')}">${PARTS.filter(([name]) =>
      name === 'history' ? offers.history : name !== 'sessions' || offers.signOut,
    ).map(link)}</nav>
${main}`,
  });
}

export function accountPath({ base }: SignedInContext, name: string): string {
  return `${base}/administration/accounts/${encodeURIComponent(name)}`;
}

export function accountLink(visit: SignedInContext, name: string): Html {
  return html`<a href="${accountPath(visit, name)}" class="clip" title="${name}" dir="auto">${name}</a>`;
}
