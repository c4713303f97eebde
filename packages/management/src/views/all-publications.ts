import type { RoleState } from '@pinfold/core';
import { type Html, html } from '@pinfold/http/internal';
import type { PagePosition } from '../request/page-request.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { accountLink, administrationPage } from './administration.ts';
import type { AnyPublication } from './any-publication.ts';
import { distance, marks, stateBadge } from './parts.ts';
import { cell, pager, rowsTable, STATE_FILTERS, searchButton, searchField } from './tables.ts';

export interface AllPublicationsModel {
  readonly publications: readonly AnyPublication[];
  /** Empty where those of every account are shown. */
  readonly account: string;
  readonly search: string;
  readonly state: RoleState | undefined;
  readonly position: PagePosition;
}

export function allPublicationsView(visit: SignedInContext, model: AllPublicationsModel): Html {
  const { words } = visit;
  const { publications, account, search, state } = model;
  const columns = ['publication', 'account', 'state', 'size', 'publishedAt'] as const;
  const table = rowsTable(visit, columns, publications, (found) => row(visit, found));
  return administrationPage(visit, {
    part: 'allPublications',
    title: words.say('allPublications'),
    main: html`<div class="head"><h1>${words.say('allPublications')}</h1></div>
${searchForm(visit, model)}
${publications.length === 0 ? html`<p class="none">${words.say('noneFound')}</p>` : table}
${pager(visit, '/administration/publications', model.position, { account, q: search, state })}`,
  });
}

function searchForm(visit: SignedInContext, { account, search, state }: AllPublicationsModel): Html {
  const { words, base } = visit;
  const option = ([value, message]: (typeof STATE_FILTERS)[number]) =>
    html`<option value="${value ?? ''}"${value === state ? html` selected` : undefined}>${words.say(message)}</option>`;
  return html`<div class="list-top"><form class="search wide" role="search" action="${base}/administration/publications">
${searchField(visit, 'account', 'accountName', account)}
<label class="hidden" for="state">${words.say('state')}</label>
<select id="state" name="state">${STATE_FILTERS.map(option)}</select>
${searchField(visit, 'q', 'searchLabel', search)}
${searchButton(visit)}
</form></div>`;
}

function row(visit: SignedInContext, { takedown, publication }: AnyPublication): Html {
  const { words, base } = visit;
  const chip = takedown === undefined ? undefined : html`<span class="chip">${words.say('takenDown')}</span>`;
  return html`<tr${publication.state === 'published' ? undefined : html` class="over"`}>
<th scope="row"><a class="name" href="${base}/administration/publications/${publication.id}" dir="auto" title="${publication.name}">${publication.name}</a><span class="marks">${marks(visit, publication)}${chip}</span></th>
${cell(visit, 'account', accountLink(visit, publication.account))}
${cell(visit, 'state', stateBadge(visit, publication))}
${cell(visit, 'size', words.size(publication.archiveBytes))}
${cell(visit, 'publishedAt', distance(visit, publication.publishedAt))}</tr>`;
}
