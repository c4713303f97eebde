import type { AdministeredPublication } from '@pinfold/core/administration';
import { parseAccountId, parseRoleState, parseSha256 } from '@pinfold/core/internal';
import { type Html, html } from '@pinfold/http/internal';
import { idOf, shownPublication } from '../publication.ts';
import { omitEmpty, pageRequest, queryText, readPastedLink, searchText } from '../request/page-request.ts';
import { fieldOf, type SignedIn, type SignedInContext } from '../request/request-context.ts';
import { type Answer, page, seeOther } from '../response/answer.ts';
import { notFound } from '../response/refuse.ts';
import { publicationFacts } from '../views/detail-cards.ts';
import { choice, confirmation, reasonField } from '../views/forms.ts';
import { accountLink, administrationPage } from '../views/layout.ts';
import {
  backLink,
  card,
  columns,
  copyButton,
  distance,
  heading,
  marks,
  moment,
  shortId,
  stateBadge,
} from '../views/parts.ts';
import { factList, listOf, STATE_FILTERS, searchButton, searchField } from '../views/tables.ts';
import { reasonOf } from './account.ts';

const PUBLICATIONS = '/administration/publications';

const TAKEDOWNS = '/administration/takedowns';

export async function showAllPublications(context: SignedIn<'administration'>): Promise<Answer> {
  const { base, messages, screen } = context;
  const search = searchText(context);
  const link = readPastedLink(search);
  const account = queryText(context, 'account');
  const state = parseRoleState(context.query.state);
  if (account !== '' && parseAccountId(account) === undefined) return seeOther(base + PUBLICATIONS);
  const listed = await screen.administration.listRoles({
    ...pageRequest(context),
    ...omitEmpty({ account, search: link !== undefined && 'id' in link ? link.id : search, state }),
  });
  if (listed.kind === 'refused') return seeOther(base + PUBLICATIONS);
  const option = ([value, message]: (typeof STATE_FILTERS)[number]) =>
    html`<option value="${value ?? ''}"${value === state && html` selected`}>${messages.text(message)}</option>`;
  const main = html`${heading(messages.text('allPublications'))}
<div class="list-top"><form class="search wide" role="search" action="${base}${PUBLICATIONS}">
${searchField(context, 'account', 'accountName', account)}
<label class="hidden" for="state">${messages.text('state')}</label>
<select id="state" name="state">${STATE_FILTERS.map(option)}</select>
${searchField(context, 'q', 'searchLabel', search)}
${searchButton(context)}
</form></div>
${listOf(context, {
  items: listed.publications.map(({ publication, takedown }) => ({
    ...shownPublication(publication, context),
    takedown,
  })),
  none: 'noneFound',
  path: PUBLICATIONS,
  next: listed.next,
  query: { account, q: search, state },
  rowClass: (publication) => (publication.state === 'published' ? '' : 'over'),
  columns: [
    [
      'publication',
      (publication) =>
        html`<a class="name" href="${base}${PUBLICATIONS}/${publication.id}" dir="auto" title="${publication.name}">${publication.name}</a><span class="marks">${marks(context, publication)}${publication.takedown && html`<span class="chip">${messages.text('takenDown')}</span>`}</span>`,
    ],
    ['account', (publication) => accountLink(context, publication.account)],
    ['state', (publication) => stateBadge(context, publication)],
    ['size', ({ archiveBytes }) => messages.size(archiveBytes)],
    ['publishedAt', ({ publishedAt }) => distance(context, publishedAt)],
  ],
})}`;
  return page(administrationPage(context, 'allPublications', main));
}

export async function showAnyPublication(
  context: SignedIn<'administration'>,
  isReasonWrong: boolean = false,
): Promise<Answer> {
  const { messages, base, request, screen } = context;
  const found = await screen.administration.showRole(String(request.params.id), context.signal);
  if (found.kind === 'refused') return notFound(context);
  const publication = shownPublication(found.publication, context);
  const { name: title, sharedUrl, expiresAt, sha256 } = publication;
  const blocked = (await screen.administration.showAccount(publication.account))?.account.blocked;
  const facts = factList(context, [
    ['account', accountLink(context, publication.account)],
    [
      'blocked',
      blocked ? messages.text(blocked.sites === 'hide' ? 'blockHidden' : 'blockLeavesSites') : undefined,
    ],
    ['sharedUrl', html`<a href="${sharedUrl}" target="_blank" rel="noopener">${sharedUrl}</a>`],
    ['expires', expiresAt === null ? undefined : moment(context, expiresAt)],
    ...publicationFacts(context, publication),
    ['sha256', html`${shortId(sha256)} ${copyButton(context, sha256, 'copySha256')}`],
  ]);
  const state = html`<p class="head-state">${stateBadge(context, publication)}${marks(context, publication)}</p>`;
  const main = html`${backLink(base + PUBLICATIONS, messages.text('allPublications'))}
${heading(title, state)}
${columns(card(context, 'facts', facts), takedownCard(context, found, title))}`;
  const shown = administrationPage(context, 'allPublications', main, { title, isReasonWrong });
  return page(shown, isReasonWrong ? 422 : 200);
}

function takedownCard(
  context: SignedInContext,
  { publication: { id }, takedown }: AdministeredPublication,
  name: string,
): Html {
  const { messages, base } = context;
  const reasonText =
    takedown &&
    html`<p dir="auto">${messages.text('takenDownBecause', { moment: messages.moment(takedown.at), reason: takedown.reason })}</p>`;
  const fields = html`${reasonField(context)}
${choice('checkbox', 'copies', 'yes', messages.text('takeDownCopies'))}${choice('checkbox', 'purge', 'yes', messages.text('takeDownPurge'))}`;
  const details = { values: { name }, fields };
  const path = `${base}${PUBLICATIONS}/${id}/take-down`;
  const dialog = confirmation(context, 'takeDown', 'take-down', path, details);
  return card(
    context,
    'takedown',
    html`${reasonText}<p class="quiet">${messages.text('takeDownMeans')}</p>${dialog}`,
  );
}

export async function takeDown(context: SignedIn<'administration'>): Promise<Answer> {
  const { cause, base, screen } = context;
  const id = idOf(context);
  const reason = reasonOf(context);
  if (id === undefined) return notFound(context);
  if (reason === undefined) return showAnyPublication(context, true);
  const copies = fieldOf(context, 'copies') === 'yes';
  const purge = fieldOf(context, 'purge') === 'yes';
  const taken = await screen.administration.takeDown({ id, reason, purge, copies, cause });
  if (taken.kind === 'refused') return notFound(context);
  const count = taken.copies.length;
  const message = count === 0 ? 'didTakeDownOne' : copies ? 'didTakeDownAll' : 'didTakeDown';
  return seeOther(`${base}${PUBLICATIONS}/${id}`, { tone: 'good', message, values: { count } });
}

export async function showTakedowns(context: SignedIn<'administration'>): Promise<Answer> {
  const { base, messages } = context;
  const listed = await context.screen.administration.listTakedowns(pageRequest(context));
  if (listed.kind === 'refused') return seeOther(base + TAKEDOWNS);
  const main = html`${heading(messages.text('takedowns'))}
${listOf(context, {
  items: listed.takedowns,
  none: 'bansNone',
  path: TAKEDOWNS,
  next: listed.next,
  columns: [
    [
      'publication',
      ({ id, sha256 }) =>
        html`<a class="name" href="${base}/administration/publications/${id}">${shortId(id)}</a><span class="marks"><code class="quiet" title="${sha256}">SHA-256 ${sha256.slice(0, 12)}…</code></span>`,
    ],
    ['account', ({ account }) => accountLink(context, account)],
    ['reason', ({ reason }) => html`<span dir="auto">${reason}</span>`],
    ['historyWhen', ({ at }) => moment(context, at)],
    [
      'actions',
      ({ sha256: id }) => confirmation(context, 'lift', `lift-${id}`, `${base}${TAKEDOWNS}/${id}/lift`),
    ],
  ],
})}`;
  return page(administrationPage(context, 'takedowns', main));
}

export async function lift(context: SignedIn<'administration'>): Promise<Answer> {
  const { request, cause, screen } = context;
  const sha256 = parseSha256(String(request.params.sha256));
  const lifted = sha256 && (await screen.administration.liftTakedown(sha256, cause));
  if (lifted?.kind !== 'lifted') return notFound(context);
  return seeOther(context.base + TAKEDOWNS, { tone: 'good', message: 'didLift' });
}
