import type { RoleState } from '@pinfold/core';
import { type Html, html } from '@pinfold/http';
import type { MessageId } from '../messages/catalogues.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { accountLink, administrationPage, cell, furtherPages, rowsTable } from './administration.ts';
import type { AnyPublication } from './any-publication.ts';
import { icon } from './icons.ts';
import { distance, marks, stateBadge } from './parts.ts';

/** What the page of all publications shows. */
export interface AllPublicationsModel {
  readonly publications: readonly AnyPublication[];
  /** Empty where those of every account are shown. */
  readonly account: string;
  readonly search: string;
  readonly state: RoleState | undefined;
  readonly further: boolean;
  readonly next: string | undefined;
}

const STATES: readonly (readonly [state: RoleState | '', message: MessageId])[] = [
  ['', 'filterAll'],
  ['published', 'filterPublished'],
  ['expired', 'filterExpired'],
  ['deleted', 'filterStopped'],
];

/** The publications of all accounts, newest first. */
export function allPublicationsView(visit: SignedInContext, model: AllPublicationsModel): Html {
  const { words } = visit;
  const { publications, account, search, state } = model;
  const columns = ['publication', 'account', 'state', 'archiveSize', 'publishedAt'] as const;
  const table = rowsTable(
    visit,
    columns,
    publications.map((found) => row(visit, found)),
  );
  return administrationPage(visit, {
    part: 'allPublications',
    title: words.say('allPublications'),
    main: html`<div class="head"><h1>${words.say('allPublications')}</h1></div>
${searchForm(visit, model)}
${publications.length === 0 ? html`<p class="none">${words.say('noneFound')}</p>` : table}
${furtherPages(visit, '/administration/publications', model, { account, q: search, state })}`,
  });
}

function searchForm(
  { words, base }: SignedInContext,
  { account, search, state }: AllPublicationsModel,
): Html {
  const option = ([value, message]: (typeof STATES)[number]) =>
    html`<option value="${value}"${value === (state ?? '') ? html` selected` : undefined}>${words.say(message)}</option>`;
  return html`<div class="list-top"><form class="search wide" role="search" action="${base}/administration/publications">
<label class="hidden" for="account">${words.say('accountName')}</label>
<input id="account" name="account" type="search" value="${account}" placeholder="${words.say('accountName')}" dir="auto" maxlength="255">
<label class="hidden" for="state">${words.say('state')}</label>
<select id="state" name="state">${STATES.map(option)}</select>
<label class="hidden" for="q">${words.say('searchLabel')}</label>
<input id="q" name="q" type="search" value="${search}" placeholder="${words.say('searchLabel')}" dir="auto" maxlength="255">
<button title="${words.say('search')}">${icon('search')}<span class="hidden">${words.say('search')}</span></button>
</form></div>`;
}

function row(visit: SignedInContext, { takedown, publication }: AnyPublication): Html {
  const { words, base } = visit;
  const chip = takedown === undefined ? undefined : html`<span class="chip">${words.say('takenDown')}</span>`;
  return html`<tr${publication.state === 'published' ? undefined : html` class="over"`}>
<th scope="row"><a class="name" href="${base}/administration/publications/${publication.id}" dir="auto" title="${publication.name}">${publication.name}</a><span class="marks">${marks(visit, publication)}${chip}</span></th>
${cell(visit, 'account', accountLink(visit, publication.account))}
${cell(visit, 'state', stateBadge(visit, publication))}
${cell(visit, 'archiveSize', words.size(publication.archiveBytes))}
${cell(visit, 'publishedAt', distance(visit, publication.publishedAt))}</tr>`;
}
