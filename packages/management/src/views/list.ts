import type { Limits, RoleState } from '@pinfold/core';
import { html } from 'hono/html';
import type { Html } from '../answer.ts';
import type { MessageId } from '../messages/catalogues.ts';
import type { Publication } from '../publication.ts';
import type { SignedInVisit } from '../visit.ts';
import { icon } from './icons.ts';
import { layout } from './layout.ts';
import { copyButton, distance, marks, stateBadge } from './parts.ts';
import { type PublishTrouble, publishPanel } from './publish-panel.ts';

/** What the first page shows. */
export interface ListModel {
  readonly publications: readonly Publication[];
  readonly limits: Limits;
  readonly search: string;
  readonly state: RoleState | undefined;
  /** Whether this is not the first page. */
  readonly further: boolean;
  /** The cursor of the next page. */
  readonly next: string | undefined;
  readonly trouble?: PublishTrouble;
}

const FILTERS: readonly (readonly [state: RoleState | undefined, message: MessageId])[] = [
  [undefined, 'filterAll'],
  ['published', 'filterPublished'],
  ['expired', 'filterExpired'],
  ['deleted', 'filterStopped'],
];

/** The first page: publish on top, what was published below. */
export function listView(visit: SignedInVisit, model: ListModel): Html {
  const { words } = visit;
  const filtered = model.search !== '' || model.state !== undefined || model.further;
  const bare = model.publications.length === 0 && !filtered;
  return layout(visit, {
    title: words.say('publications'),
    signedIn: visit,
    part: 'publications',
    main: html`${publishPanel(visit, { limits: model.limits, roomy: bare, trouble: model.trouble })}
<section class="list" aria-labelledby="list-title" data-list${bare ? html` hidden` : undefined}>
<div class="list-top"><h2 id="list-title">${words.say('publications')}</h2>${filters(visit, model)}${searchForm(visit, model)}</div>
${model.publications.length === 0 ? nothing(visit, model) : table(visit, model.publications)}
${pages(visit, model)}
<form id="row" method="post"><input type="hidden" name="form" value="${visit.formToken}"></form>
</section>`,
  });
}

function filters({ words, base }: SignedInVisit, { state, search }: ListModel): Html {
  return html`<nav class="filters" aria-label="${words.say('filterLabel')}">${FILTERS.map(
    ([filter, message]) => {
      const current = filter === state ? html` aria-current="true"` : undefined;
      return html`<a href="${base}/${queryOf({ state: filter, q: search })}"${current}>${words.say(message)}</a>`;
    },
  )}</nav>`;
}

function searchForm({ words, base }: SignedInVisit, { state, search }: ListModel): Html {
  return html`<form class="search" role="search" action="${base}/">
${state === undefined ? undefined : html`<input type="hidden" name="state" value="${state}">`}
<label class="hidden" for="q">${words.say('searchLabel')}</label>
<input id="q" name="q" type="search" value="${search}" placeholder="${words.say('searchLabel')}" dir="auto" maxlength="255">
<button title="${words.say('search')}">${icon('search')}<span class="hidden">${words.say('search')}</span></button>
</form>`;
}

function table(visit: SignedInVisit, publications: readonly Publication[]): Html {
  const { words } = visit;
  const columns = ['publication', 'state', 'expires', 'files', 'size'] as const;
  const heading = (id: MessageId, style = '') =>
    html`<th role="columnheader" scope="col" class="${style}">${words.say(id)}</th>`;
  return html`<table role="table" class="rows">
<thead role="rowgroup"><tr role="row">${columns.map((id) => heading(id, id === 'files' || id === 'size' ? 'figure' : ''))}<th role="columnheader" scope="col"><span class="hidden">${words.say('actions')}</span></th></tr></thead>
<tbody role="rowgroup">${publications.map((publication) => row(visit, publication))}</tbody>
</table>`;
}

function row(visit: SignedInVisit, publication: Publication): Html {
  const { words, base } = visit;
  const { id, name, endsSoon, state, fileCount, size, sharedUrl } = publication;
  const cell = (label: MessageId, content: Html | string, style = '') =>
    html`<td role="cell" class="${style}" data-label="${words.say(label)}">${content}</td>`;
  return html`<tr role="row" class="${endsSoon ? 'soon' : ''}${state === 'published' ? '' : ' over'}">
<th role="rowheader" scope="row"><a class="name" href="${base}/publications/${id}" title="${name}" dir="auto">${name}</a><span class="marks">${marks(visit, publication)}</span></th>
${cell('state', stateBadge(visit, publication))}
${cell('expires', expiry(visit, publication))}
${cell('files', words.number(fileCount), 'figure')}
${cell('size', words.size(size), 'figure')}
<td role="cell" class="actions">${state === 'published' ? copyButton(visit, sharedUrl, 'copyLink', name) : undefined}${menu(visit, publication)}</td>
</tr>`;
}

function expiry(visit: SignedInVisit, { state, expiresAt, deletedAt }: Publication): Html | string {
  if (state === 'deleted' && deletedAt !== null) return distance(visit, deletedAt);
  return expiresAt === null ? visit.words.say('never') : distance(visit, expiresAt);
}

/** Everything else that can be done, in a popover that needs no script. */
function menu(
  { words, base }: SignedInVisit,
  { id, name, pinned, refused, sharedUrl, state }: Publication,
): Html {
  const path = `${base}/publications/${id}`;
  const action = (verb: string, message: MessageId) =>
    html`<button class="item" form="row" formaction="${path}/${verb}">${words.say(message)}</button>`;
  return html`<button type="button" class="more" popovertarget="menu-${id}" aria-label="${words.say('actionsOf', { name })}">${icon('more')}</button>
<div id="menu-${id}" class="menu" popover>
${state === 'published' ? html`<a class="item" href="${sharedUrl}" target="_blank" rel="noopener">${words.say('openSite')}</a>` : undefined}
<a class="item" href="${path}">${words.say('details')}</a>
${refused.pin === undefined ? (pinned ? action('unpin', 'unpin') : action('pin', 'pin')) : undefined}
${refused.reset_expiration === undefined ? action('renew', 'renewShort') : undefined}
${refused.set_password === undefined ? html`<a class="item" href="${path}#password">${words.say('passwordEllipsis')}</a>` : undefined}
${refused.stop === undefined ? html`<a class="item bad" href="${path}/stop" data-dialog>${words.say('stopEllipsis')}</a>` : undefined}
</div>`;
}

function nothing({ words, base }: SignedInVisit, { further, next }: ListModel): Html {
  if (next !== undefined) return html`<p class="none">${words.say('noneYet')}</p>`;
  return html`<p class="none">${words.say(further ? 'noneFurther' : 'noneFound')} <a href="${base}/">${words.say('showAll')}</a></p>`;
}

function pages({ words, base }: SignedInVisit, { state, search, further, next }: ListModel): Html {
  if (!further && next === undefined) return html``;
  const message: MessageId = search === '' ? 'older' : 'searchOn';
  return html`<nav class="pages" aria-label="${words.say('pagesLabel')}">
${further ? html`<a href="${base}/${queryOf({ state, q: search })}">${words.say('newest')}</a>` : html`<span></span>`}
${next === undefined ? undefined : html`<a rel="next" href="${base}/${queryOf({ state, q: search, cursor: next })}">${words.say(message)}</a>`}
</nav>`;
}

/** The query of a page of the list; empty where it says nothing. */
function queryOf(parts: Readonly<Record<string, string | undefined>>): string {
  const entries = Object.entries(parts).filter(([, value]) => value !== undefined && value !== '');
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries as [string, string][])}`;
}
