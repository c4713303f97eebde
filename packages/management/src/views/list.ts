import type { Limits, RoleOrder, RoleState } from '@pinfold/core';
import { codePoints } from '@pinfold/core/internal';
import { type Html, html } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import type { ShownPublication } from '../publication.ts';
import type { Allowance } from '../quota-text.ts';
import type { PagePosition } from '../request/page-request.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { icon } from './icons.ts';
import { layout } from './layout.ts';
import { copyLinkButton, disabledInReadOnly, distance, marks, stateBadge, stopLink } from './parts.ts';
import { type PublishTrouble, publishPanel } from './publish-panel.ts';
import {
  type Column,
  type ColumnSort,
  cell,
  type PagerLabels,
  pager,
  queryOf,
  rowsTable,
  STATE_FILTERS,
  searchButton,
  searchField,
} from './tables.ts';

export interface ListModel {
  readonly publications: readonly ShownPublication[];
  /** How often each was viewed in the last seven days; absent where views are not counted. */
  readonly views: ReadonlyMap<string, number> | undefined;
  readonly limits: Limits;
  readonly allowance: Allowance;
  readonly search: string;
  readonly state: RoleState | undefined;
  /** Absent: newest first. */
  readonly order: RoleOrder | undefined;
  readonly position: PagePosition;
  readonly trouble: PublishTrouble | undefined;
}

/** Names up to this length are never cut. */
const SHORT = 32;

/** The first page: publish on top, what was published below. */
export function listView(visit: SignedInContext, model: ListModel): Html {
  const { words } = visit;
  const filtered = model.search !== '' || model.state !== undefined || model.position.further;
  const columns: readonly Column[] = [
    'publication',
    { label: 'publishedAt', sort: sortOf(visit, model, undefined) },
    ...(model.views === undefined ? [] : [{ label: 'viewsOfWeek', isFigure: true } as const]),
    { label: 'expires', sort: sortOf(visit, model, 'ending') },
    { label: 'size', isFigure: true, sort: sortOf(visit, model, 'largest') },
    'actions',
  ];
  const table = rowsTable(visit, columns, model.publications, (publication, n) =>
    row(visit, model, publication, n),
  );
  const bare = model.publications.length === 0 && !filtered;
  return layout(visit, {
    title: words.say('publications'),
    signedIn: visit,
    part: 'publications',
    showsMode: true,
    main: html`<h1 class="hidden">${words.say('publishAndManage')}</h1>
${publishPanel(visit, model, bare)}
<section class="list" aria-labelledby="list-title" data-list${bare ? html` hidden` : undefined}>
<div class="list-top"><h2 id="list-title">${words.say('publications')}</h2>${filters(visit, model)}${searchForm(visit, model)}</div>
${model.publications.length === 0 ? nothing(visit, model) : table}
${pager(visit, '/', model.position, queryFor(model), pagerLabels(model))}
<form id="s" action="${visit.base}/stop" class="selection"><button class="bad"${disabledInReadOnly(visit)}>${words.say('stopSelected')}</button></form>
<form id="row" method="post"><input type="hidden" name="form" value="${visit.formToken}"></form>
</section>`,
  });
}

function queryFor({ state, search, order }: ListModel): Readonly<Record<string, string | undefined>> {
  return { state, q: search, sort: order };
}

function pagerLabels({ search, order }: ListModel): PagerLabels {
  const first = order === undefined ? 'newest' : 'firstPage';
  const next = order === undefined ? 'older' : 'nextPage';
  return { first, next: search === '' ? next : 'searchOn' };
}

/** Stopped publications have one order. */
function sortOf(
  { base }: SignedInContext,
  model: ListModel,
  order: RoleOrder | undefined,
): ColumnSort | undefined {
  if (model.state === 'deleted') return undefined;
  // Otherwise those that expired long ago would come first.
  const state = order === 'ending' ? (model.state ?? 'published') : model.state;
  return {
    href: `${base}/${queryOf({ ...queryFor(model), state, sort: order })}`,
    direction: order === 'ending' ? 'ascending' : 'descending',
    isCurrent: order === model.order,
  };
}

function filters({ words, base }: SignedInContext, model: ListModel): Html {
  return html`<nav class="filters" aria-label="${words.say('filterLabel')}">${STATE_FILTERS.map(
    ([filter, message]) => {
      const current = filter === model.state ? html` aria-current="true"` : undefined;
      return html`<a href="${base}/${queryOf({ ...queryFor(model), state: filter })}"${current}>${words.say(message)}</a>`;
    },
  )}</nav>`;
}

function searchForm(visit: SignedInContext, { state, search, order }: ListModel): Html {
  const hidden = (name: string, value: string | undefined) =>
    value === undefined ? undefined : html`<input type="hidden" name="${name}" value="${value}">`;
  return html`<form class="search" role="search" action="${visit.base}/">
${hidden('state', state)}${hidden('sort', order)}
${searchField(visit, 'q', 'searchLabel', search)}
${searchButton(visit)}
</form>`;
}

function row(
  visit: SignedInContext,
  { views, order }: ListModel,
  publication: ShownPublication,
  n: number,
): Html {
  const { words } = visit;
  const { id, name, endsSoon, state, archiveBytes, publishedAt, refusal } = publication;
  const style = endsSoon ? html` class="soon"` : state === 'published' ? undefined : html` class="over"`;
  const whole = codePoints(name) > SHORT ? html` title="${name}"` : undefined;
  const badge = state === 'published' && !endsSoon ? undefined : stateBadge(visit, publication);
  const isMarked = badge !== undefined || publication.pinned || publication.passwordProtected;
  const marked = isMarked ? html`<span class="marks">${badge}${marks(visit, publication)}</span>` : undefined;
  const pick =
    refusal('stop') === undefined
      ? html`<input type="checkbox" class="pick" form="s" name="id" value="${id}" aria-labelledby="n${n}">`
      : undefined;
  return html`<tr${style}>
<th scope="row">${pick}<a class="name" id="n${n}" href="publications/${id}"${whole} dir="auto">${name}</a>${marked}</th>
<td>${distance(visit, publishedAt)}</td>
${views === undefined ? undefined : html`<td class="figure" data-label="${words.say('views')}">${words.number(views.get(id) ?? 0)}</td>`}
${cell(visit, 'expires', expiry(visit, publication))}
<td class="figure${order === 'largest' ? '' : ' size'}">${words.size(archiveBytes)}</td>
<td class="actions">${state === 'published' ? copyLinkButton(visit, n) : undefined}${state === 'deleted' ? undefined : menu(visit, publication, n)}</td>
</tr>`;
}

function expiry(visit: SignedInContext, { state, expiresAt, deletedAt }: ShownPublication): Html | string {
  if (state === 'deleted' && deletedAt !== null) return distance(visit, deletedAt);
  return expiresAt === null ? visit.words.say('never') : distance(visit, expiresAt);
}

/** Everything else that can be done, in a popover that needs no script. */
function menu(
  visit: SignedInContext,
  { id, pinned, refusal, sharedUrl, state, passwordProtected: locked }: ShownPublication,
  n: number,
): Html {
  const { words, offers } = visit;
  const path = `publications/${id}`;
  const action = (verb: string, message: MessageId) =>
    html`<button class="item" form="row" formaction="${path}/${verb}"${disabledInReadOnly(visit)}>${words.say(message)}</button>`;
  const opener =
    locked && offers.grants
      ? html`<a hidden id="o${n}" href="${sharedUrl}"></a><button class="item" form="row" formtarget="_blank" formaction="${path}/open">${words.say('openSite')}</button>`
      : html`<a class="item" id="o${n}" href="${sharedUrl}" target="_blank">${words.say('openSite')}</a>`;
  return html`<button class="more" id="m${n}" popovertarget="p${n}" aria-label="${words.say('more')}" aria-labelledby="m${n} n${n}">${icon('more')}</button>
<div id="p${n}" class="menu" popover>
${state === 'published' ? opener : undefined}
${refusal('pin') === undefined ? (pinned ? action('unpin', 'unpin') : action('pin', 'pin')) : undefined}
${refusal('reset_expiration') === undefined ? action('renew', 'renewShort') : undefined}
${refusal('set_password') === undefined ? html`<a class="item" href="${path}#password">${words.say('passwordEllipsis')}</a>` : undefined}
${refusal('stop') === undefined ? stopLink(visit, 'item', `${path}/stop`) : undefined}
</div>`;
}

function nothing({ words, base }: SignedInContext, { position: { further, next } }: ListModel): Html {
  if (next !== undefined) return html`<p class="none">${words.say('noneYet')}</p>`;
  return html`<p class="none">${words.say(further ? 'noneFurther' : 'noneFound')} <a href="${base}/">${words.say('showAll')}</a></p>`;
}
