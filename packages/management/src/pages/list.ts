import type { Publication, RoleOrder } from '@pinfold/core';
import { codePoints, dayOf, parseRoleState } from '@pinfold/core/internal';
import { type Html, html } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import { type ShownPublication, shownPublication } from '../publication.ts';
import { allowanceText } from '../quota-text.ts';
import { omitEmpty, pageRequest, readPastedLink, searchText } from '../request/page-request.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { type Answer, page, seeOther } from '../response/answer.ts';
import { disabledInReadOnly, hidden, rowForm, stopLink } from '../views/forms.ts';
import { layout } from '../views/layout.ts';
import { copyLinkButton, distance, icon, marks, stateBadge } from '../views/parts.ts';
import { type PublishFormError, publishPanel } from '../views/publish-panel.ts';
import {
  type Column,
  type ColumnSort,
  filters,
  pager,
  queryOf,
  rowsTable,
  STATE_FILTERS,
  searchButton,
  searchField,
} from '../views/tables.ts';

const PAGE_SIZE = 20;
const ORDERS: readonly RoleOrder[] = ['ending', 'largest'];

/** The page never cuts names up to this length, so they need no tooltip. */
const MAX_UNCUT_CHARACTERS = 32;

interface Query extends Readonly<Record<string, string | undefined>> {
  readonly state: 'published' | 'expired' | 'deleted' | undefined;
  readonly q: string;
  readonly sort: RoleOrder | undefined;
}

/** Shows the first page: the panel for publishing, with any error of its form, and the list of publications. */
export async function showList(
  context: SignedInContext,
  formError?: { readonly status: number; readonly publish: PublishFormError },
): Promise<Answer> {
  const { messages, base, account, request, screen } = context;
  const { useCases } = screen;
  // Links of the list are relative, to keep long lists small, and so need the trailing slash.
  if (request.originalUrl.split('?')[0]?.endsWith('/') === false && formError === undefined)
    return seeOther(`${base}/`);
  const q = searchText(context);
  const state = parseRoleState(context.query.state);
  const sort = state === 'deleted' ? undefined : ORDERS.find((each) => each === context.query.sort);
  const query: Query = { state, q, sort };
  const filter = omitEmpty({ search: await searchFor(context, q), state, order: sort });
  const listed = await useCases.list({ by: account, ...pageRequest(context, PAGE_SIZE), ...filter });
  if (listed.kind === 'refused') return seeOther(`${base}/`);
  const { next } = listed;
  const items = listed.publications.map((each) => shownPublication(each, context));
  const columns = columnsOf(context, query, await viewsColumn(context, items));
  const panel = {
    limits: await useCases.limitsOf(account),
    allowance: await allowanceText(context),
    formError: formError?.publish,
  };
  const isFirst = context.query.cursor === undefined;
  const isBare = items.length === 0 && q === '' && state === undefined && isFirst;
  const states = STATE_FILTERS.map(([filter, message]) => {
    return [message, `${base}/${queryOf({ ...query, state: filter })}`, filter === state] as const;
  });
  const main = html`<h1 class="hidden">${messages.text('publishAndManage')}</h1>
${publishPanel(context, panel, isBare)}
<section class="list" aria-labelledby="list-title" data-list${isBare && html` hidden`}>
<div class="list-top"><h2 id="list-title">${messages.text('publications')}</h2>${filters(context, 'filterLabel', states)}${searchForm(context, query)}</div>
${items.length === 0 ? emptyList(context, isFirst, next) : rowsTable(context, { items, columns, rowClass })}
${pager(context, '/', next, query, q === '' ? 'nextPage' : 'searchOn')}
<form id="s" action="${base}/stop" class="selection"><button class="bad"${disabledInReadOnly(context)}>${messages.text('stopSelected')}</button></form>
${rowForm(context)}
</section>`;
  const title = messages.text('publications');
  return page(layout(context, { title, part: 'publications', showsMode: true, main }), formError?.status);
}

async function viewsColumn(
  { messages, screen: { views, useCases } }: SignedInContext,
  publications: readonly Publication[],
): Promise<Column<ShownPublication> | undefined> {
  if (views === undefined) return undefined;
  const from = dayOf(useCases.clock.now()) - 6;
  const counted = publications.map(async ({ id }) => {
    const days = (await views.of(id)).filter(({ day }) => day >= from);
    return [id, days.reduce((sum, one) => sum + one.views, 0)] as const;
  });
  const all = new Map(await Promise.all(counted));
  const details = { numberClass: 'number', phoneLabel: 'views' } as const;
  return ['viewsOfWeek', ({ id }) => messages.number(all.get(id) ?? 0), details];
}

function columnsOf(
  context: SignedInContext,
  query: Query,
  views: Column<ShownPublication> | undefined,
): readonly Column<ShownPublication>[] {
  const { messages } = context;
  const sizeClass = query.sort === 'largest' ? 'number' : 'number size';
  return [
    ['publication', (publication, n) => titleCell(context, publication, n)],
    [
      'publishedAt',
      ({ publishedAt }) => distance(context, publishedAt),
      { sort: sortOf(context, query, undefined), phoneLabel: null },
    ],
    ...(views === undefined ? [] : [views]),
    ['expires', (publication) => expiry(context, publication), { sort: sortOf(context, query, 'ending') }],
    [
      'size',
      ({ archiveBytes }) => messages.size(archiveBytes),
      { numberClass: sizeClass, sort: sortOf(context, query, 'largest'), phoneLabel: null },
    ],
    [
      'actions',
      (publication, n) =>
        html`${publication.state === 'published' && copyLinkButton(context, n)}${publication.state !== 'deleted' && menu(context, publication, n)}`,
    ],
  ];
}

/** Returns the link that sorts a column; none for stopped publications, which have a single order. */
function sortOf(
  { base }: SignedInContext,
  query: Query,
  sort: RoleOrder | undefined,
): ColumnSort | undefined {
  if (query.state === 'deleted') return undefined;
  // Among all states, publications that expired long ago would come first.
  const state = sort === 'ending' ? (query.state ?? 'published') : query.state;
  return {
    href: `${base}/${queryOf({ ...query, state, sort })}`,
    direction: sort === 'ending' ? 'ascending' : 'descending',
    isCurrent: sort === query.sort,
  };
}

function rowClass({ endsSoon, state }: ShownPublication): string {
  if (endsSoon) return 'soon';
  return state === 'published' ? '' : 'over';
}

function titleCell(context: SignedInContext, publication: ShownPublication, n: number): Html {
  const { id, name, endsSoon, state, refusal } = publication;
  const tooltip = codePoints(name) > MAX_UNCUT_CHARACTERS && html` title="${name}"`;
  const badge = state === 'published' && !endsSoon ? undefined : stateBadge(context, publication);
  const isMarked = badge !== undefined || publication.pinned || publication.passwordProtected;
  const marksLine = isMarked && html`<span class="marks">${badge}${marks(context, publication)}</span>`;
  const checkbox =
    refusal('stop') === undefined &&
    html`<input type="checkbox" class="pick" form="s" name="id" value="${id}" aria-labelledby="n${n}">`;
  return html`${checkbox}<a class="name" id="n${n}" href="publications/${id}"${tooltip} dir="auto">${name}</a>${marksLine}`;
}

function expiry(context: SignedInContext, { state, expiresAt, deletedAt }: ShownPublication): Html | string {
  if (state === 'deleted' && deletedAt !== null) return distance(context, deletedAt);
  return expiresAt === null ? context.messages.text('never') : distance(context, expiresAt);
}

/** The other actions of a row, in a popover that needs no script. */
function menu(
  context: SignedInContext,
  { id, pinned, refusal, sharedUrl, state, passwordProtected: locked }: ShownPublication,
  n: number,
): Html {
  const { messages, screen } = context;
  const path = `publications/${id}`;
  const action = (verb: string, message: MessageId) =>
    html`<button form="row" formaction="${path}/${verb}"${disabledInReadOnly(context)}>${messages.text(message)}</button>`;
  const opener =
    locked && screen.createGrant
      ? html`<a hidden id="o${n}" href="${sharedUrl}"></a><button form="row" formtarget="_blank" formaction="${path}/open">${messages.text('openSite')}</button>`
      : html`<a id="o${n}" href="${sharedUrl}" target="_blank">${messages.text('openSite')}</a>`;
  const pinAction = pinned ? 'unpin' : 'pin';
  return html`<button class="more" id="m${n}" popovertarget="p${n}" aria-label="${messages.text('more')}" aria-labelledby="m${n} n${n}">${icon('more')}</button>
<div id="p${n}" class="menu" popover>
${state === 'published' && opener}
${refusal('pin') === undefined && action(pinAction, pinAction)}
${refusal('reset_expiration') === undefined && action('renew', 'renewShort')}
${refusal('set_password') === undefined && html`<a href="${path}#password">${messages.dialogLabel('password')}</a>`}
${refusal('stop') === undefined && stopLink(context, '', `${path}/stop`)}
</div>`;
}

function emptyList({ messages, base }: SignedInContext, isFirst: boolean, next: string | undefined): Html {
  if (next !== undefined) return html`<p class="none">${messages.text('noneYet')}</p>`;
  return html`<p class="none">${messages.text(isFirst ? 'noneFound' : 'noneFurther')} <a href="${base}/">${messages.text('showAll')}</a></p>`;
}

/** The text to search for; for a pasted link, the id of the publication that it leads to. */
async function searchFor({ account: by, screen }: SignedInContext, text: string): Promise<string> {
  const link = readPastedLink(text);
  if (link === undefined) return text;
  if ('id' in link) return link.id;
  const found = await screen.names?.get({ by, name: link.name });
  return found?.kind === 'found' && found.name.url.endsWith(`-${link.token}`) ? found.name.pin : text;
}

function searchForm(context: SignedInContext, { state, q, sort }: Query): Html {
  return html`<form class="search" role="search" action="${context.base}/">
${state && hidden('state', state)}${sort && hidden('sort', sort)}
${searchField(context, 'q', 'searchLabel', q)}
${searchButton(context)}
</form>`;
}
