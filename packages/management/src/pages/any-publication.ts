import { parseRoleId } from '@pinfold/core';
import type { AdministeredPublication } from '@pinfold/core/administration';
import { parseAccountId, parseRoleState } from '@pinfold/core/internal';
import { type Html, html } from '@pinfold/http/internal';
import { shownPublication } from '../publication.ts';
import { pageRequest, present, queryText, searchText } from '../request/page-request.ts';
import { fieldOf, type SignedIn, type SignedInContext } from '../request/request-context.ts';
import { type Answer, page, seeOther } from '../response/answer.ts';
import { notFound } from '../response/refuse.ts';
import { accountLink, administrationPage } from '../views/administration.ts';
import { publicationFacts } from '../views/detail-cards.ts';
import { choice, confirmation, reasonField } from '../views/forms.ts';
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

const PATH = '/administration/publications';

export async function showAllPublications(visit: SignedIn<'administration'>): Promise<Answer> {
  const { base, words, screen } = visit;
  const search = searchText(visit);
  const account = queryText(visit, 'account');
  const state = parseRoleState(visit.request.query.state);
  if (account !== '' && parseAccountId(account) === undefined) return seeOther(base + PATH);
  const listed = await screen.administration.listRoles({
    ...pageRequest(visit),
    ...present({ account, search, state }),
  });
  if (listed.kind === 'refused') return seeOther(base + PATH);
  const option = ([value, message]: (typeof STATE_FILTERS)[number]) =>
    html`<option value="${value ?? ''}"${value === state && html` selected`}>${words.say(message)}</option>`;
  const main = html`${heading(words.say('allPublications'))}
<div class="list-top"><form class="search wide" role="search" action="${base}${PATH}">
${searchField(visit, 'account', 'accountName', account)}
<label class="hidden" for="state">${words.say('state')}</label>
<select id="state" name="state">${STATE_FILTERS.map(option)}</select>
${searchField(visit, 'q', 'searchLabel', search)}
${searchButton(visit)}
</form></div>
${listOf(visit, {
  items: listed.publications.map(({ publication, takedown }) => ({
    ...shownPublication(publication, visit),
    takedown,
  })),
  none: 'noneFound',
  path: PATH,
  next: listed.next,
  query: { account, q: search, state },
  rowClass: (publication) => (publication.state === 'published' ? '' : 'over'),
  columns: [
    [
      'publication',
      (publication) =>
        html`<a class="name" href="${base}${PATH}/${publication.id}" dir="auto" title="${publication.name}">${publication.name}</a><span class="marks">${marks(visit, publication)}${publication.takedown && html`<span class="chip">${words.say('takenDown')}</span>`}</span>`,
    ],
    ['account', (publication) => accountLink(visit, publication.account)],
    ['state', (publication) => stateBadge(visit, publication)],
    ['size', ({ archiveBytes }) => words.size(archiveBytes)],
    ['publishedAt', ({ publishedAt }) => distance(visit, publishedAt)],
  ],
})}`;
  return page(administrationPage(visit, 'allPublications', main));
}

export async function showAnyPublication(
  visit: SignedIn<'administration'>,
  isReasonWrong: boolean = false,
): Promise<Answer> {
  const { words, base, request, screen } = visit;
  const found = await screen.administration.showRole(String(request.params.id), visit.signal);
  if (found.kind === 'refused') return notFound(visit);
  const publication = shownPublication(found.publication, visit);
  const { name: title, sharedUrl, expiresAt, sha256 } = publication;
  const blocked = (await screen.administration.showAccount(publication.account))?.account.blocked;
  const facts = factList(visit, [
    ['account', accountLink(visit, publication.account)],
    ['blocked', blocked ? words.say(blocked.sites === 'hide' ? 'blockHidden' : 'blockKept') : undefined],
    ['sharedUrl', html`<a href="${sharedUrl}" target="_blank" rel="noopener">${sharedUrl}</a>`],
    ['expires', expiresAt === null ? undefined : moment(visit, expiresAt)],
    ...publicationFacts(visit, publication),
    ['sha256', html`${shortId(sha256)} ${copyButton(visit, sha256, 'copySha256')}`],
  ]);
  const state = html`<p class="head-state">${stateBadge(visit, publication)}${marks(visit, publication)}</p>`;
  const main = html`${backLink(base + PATH, words.say('allPublications'))}
${heading(title, state)}
${columns(card(visit, 'facts', facts), takedownCard(visit, found, title))}`;
  const shown = administrationPage(visit, 'allPublications', main, { title, isReasonWrong });
  return page(shown, isReasonWrong ? 422 : 200);
}

function takedownCard(
  visit: SignedInContext,
  { publication: { id }, takedown }: AdministeredPublication,
  name: string,
): Html {
  const { words, base } = visit;
  const because =
    takedown &&
    html`<p dir="auto">${words.say('takenDownBecause', { moment: words.moment(takedown.at), reason: takedown.reason })}</p>`;
  const fields = html`${reasonField(visit)}
${choice('checkbox', 'copies', 'yes', words.say('takeDownCopies'))}${choice('checkbox', 'purge', 'yes', words.say('takeDownPurge'))}`;
  const details = { values: { name }, fields };
  const dialog = confirmation(visit, 'takeDown', 'take-down', `${base}${PATH}/${id}/take-down`, details);
  return card(visit, 'takedown', html`${because}<p class="quiet">${words.say('takeDownMeans')}</p>${dialog}`);
}

export async function takeDown(visit: SignedIn<'administration'>): Promise<Answer> {
  const { request, cause, base, screen } = visit;
  const id = parseRoleId(String(request.params.id));
  const reason = reasonOf(visit);
  if (id === undefined) return notFound(visit);
  if (reason === undefined) return showAnyPublication(visit, true);
  const copies = fieldOf(visit, 'copies') === 'yes';
  const purge = fieldOf(visit, 'purge') === 'yes';
  const taken = await screen.administration.takeDown({ id, reason, purge, copies, cause });
  if (taken.kind === 'refused') return notFound(visit);
  const count = taken.copies.length;
  const message = count === 0 ? 'didTakeDownOne' : copies ? 'didTakeDownAll' : 'didTakeDown';
  return seeOther(`${base}${PATH}/${id}`, { tone: 'good', message, values: { count } });
}
