import { type Html, html } from '@pinfold/http';
import type { MessageId } from '../messages/catalogues.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { layout } from './layout.ts';

/** The pages of those who administer. */
export type AdministrationPart = 'accounts' | 'allPublications' | 'takedowns' | 'history' | 'service';

const PARTS: readonly (readonly [part: AdministrationPart, path: string])[] = [
  ['accounts', ''],
  ['allPublications', '/publications'],
  ['takedowns', '/takedowns'],
  ['history', '/history'],
  ['service', '/service'],
];

/** What a page of the administration is made of. */
export interface AdministrationPage {
  readonly part: AdministrationPart;
  readonly title: string;
  readonly main: Html;
}

/** A page of the administration, with the way to the others. */
export function administrationPage(visit: SignedInContext, { part, title, main }: AdministrationPage): Html {
  const { words, base, offers } = visit;
  const link = ([name, path]: (typeof PARTS)[number]) =>
    html`<a href="${base}/administration${path}"${name === part ? html` aria-current="true"` : undefined}>${words.say(name)}</a>`;
  return layout(visit, {
    title,
    signedIn: visit,
    part: 'administration',
    main: html`<nav class="filters" aria-label="${words.say('administration')}">${PARTS.filter(
      ([name]) => name !== 'history' || offers.history,
    ).map(link)}</nav>
${main}`,
  });
}

/** A table whose rows are read on a phone, too: each cell has its column's name. */
export function rowsTable(
  { words }: SignedInContext,
  columns: readonly MessageId[],
  rows: readonly Html[],
): Html {
  return html`<table class="rows">
<thead><tr>${columns.map((id) => html`<th scope="col">${words.say(id)}</th>`)}</tr></thead>
<tbody>${rows}</tbody></table>`;
}

/** A cell of such a table. */
export function cell({ words }: SignedInContext, label: MessageId, content: Html | string | undefined): Html {
  return html`<td data-label="${words.say(label)}">${content}</td>`;
}

/** The page of an account. */
export function accountPath({ base }: SignedInContext, name: string): string {
  return `${base}/administration/accounts/${encodeURIComponent(name)}`;
}

/** The account, as a link to its page. */
export function accountLink(visit: SignedInContext, name: string): Html {
  return html`<a href="${accountPath(visit, name)}" dir="auto">${name}</a>`;
}

/** The way to further pages. */
export function furtherPages(
  { words, base }: SignedInContext,
  path: string,
  { further, next }: { readonly further: boolean; readonly next: string | undefined },
  query: Readonly<Record<string, string | undefined>> = {},
): Html {
  if (!further && next === undefined) return html``;
  const to = (cursor?: string) => {
    const parts = Object.entries({ ...query, cursor }).filter(
      (part): part is [string, string] => part[1] !== undefined && part[1] !== '',
    );
    return `${base}${path}${parts.length === 0 ? '' : `?${new URLSearchParams(parts)}`}`;
  };
  return html`<nav class="pages" aria-label="${words.say('pagesLabel')}">
${further ? html`<a href="${to()}">${words.say('firstPage')}</a>` : html`<span></span>`}
${next === undefined ? undefined : html`<a rel="next" href="${to(next)}">${words.say('nextPage')}</a>`}
</nav>`;
}
