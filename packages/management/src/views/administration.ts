import { type Html, html } from '@pinfold/http/internal';
import type { SignedInContext } from '../request/request-context.ts';
import type { Flash } from '../response/flash.ts';
import { layout } from './layout.ts';
import { filters } from './tables.ts';

const PARTS = [
  ['accounts', ''],
  ['allPublications', '/publications'],
  ['takedowns', '/takedowns'],
  ['history', '/history'],
  ['sessions', '/sessions'],
  ['service', '/service'],
] as const;

/** A page for administrators; `title` defaults to the part's. */
export function administrationPage(
  context: SignedInContext,
  part: (typeof PARTS)[number][0],
  main: Html,
  { title, isReasonWrong }: { readonly title?: string; readonly isReasonWrong?: boolean } = {},
): Html {
  const { messages, base, offers } = context;
  const shown = PARTS.filter(([name]) =>
    name === 'history' ? offers.history : name !== 'sessions' || offers.signOut,
  );
  const links = shown.map(([name, path]) => [name, `${base}/administration${path}`, name === part] as const);
  const flash: Flash = { tone: 'bad', message: 'reasonWrong' };
  return layout(context, {
    ...(isReasonWrong ? { flash } : {}),
    title: title ?? messages.text(part),
    signedIn: context,
    part: 'administration',
    showsMode: part === 'service',
    main: html`${filters(context, 'administration', links)}
${main}`,
  });
}

export function accountPath({ base }: SignedInContext, name: string): string {
  return `${base}/administration/accounts/${encodeURIComponent(name)}`;
}

export function accountLink(context: SignedInContext, name: string): Html {
  return html`<a href="${accountPath(context, name)}" class="clip" title="${name}" dir="auto">${name}</a>`;
}
