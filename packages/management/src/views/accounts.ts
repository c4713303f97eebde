import type { AdministeredAccount } from '@pinfold/core/administration';
import { type Html, html } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import type { PagePosition } from '../request/page-request.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { accountPath, administrationPage } from './administration.ts';
import { icon } from './icons.ts';
import { distance } from './parts.ts';
import { cell, pager, queryOf, rowsTable, searchButton, searchField } from './tables.ts';

export interface AccountsModel {
  readonly accounts: readonly AdministeredAccount[];
  readonly position: PagePosition;
  /** A part of the names that are shown; empty for all. */
  readonly name: string;
  /** Whether those that use most come first. */
  readonly byUse: boolean;
  /** How many accounts were looked at; absent if all were. */
  readonly searched?: number | undefined;
}

export function accountsView(visit: SignedInContext, model: AccountsModel): Html {
  const { words, base } = visit;
  const columns = ['account', 'sitesInService', 'archivesSize', 'publications24h', 'lastPublished'] as const;
  const table = rowsTable(visit, columns, model.accounts, (account) => row(visit, account));
  const order = (byUse: boolean, message: MessageId) =>
    html`<a href="${base}/administration${queryOf({ sort: byUse ? 'use' : '', name: model.name })}"${byUse === model.byUse ? html` aria-current="true"` : undefined}>${words.say(message)}</a>`;
  return administrationPage(visit, {
    part: 'accounts',
    title: words.say('accounts'),
    main: html`<div class="head"><h1>${words.say('accounts')}</h1><p class="quiet">${words.say('accountsIntro')}</p></div>
<div class="list-top"><nav class="filters" aria-label="${words.say('sortLabel')}">${order(false, 'sortByName')}${order(true, 'sortByUse')}</nav><form class="search" role="search" action="${base}/administration">
${model.byUse ? html`<input type="hidden" name="sort" value="use">` : undefined}
${searchField(visit, 'name', 'accountName', model.name)}
${searchButton(visit, 'findAccount')}
</form></div>
${model.searched === undefined ? undefined : html`<p class="quiet">${words.say('accountsSearched', { count: model.searched })}</p>`}
${model.accounts.length === 0 ? html`<p class="none">${words.say('accountsNone')}</p>` : table}
${pager(visit, '/administration', model.position)}`,
  });
}

function row(visit: SignedInContext, { account, used }: AdministeredAccount): Html {
  const { words } = visit;
  const { name, blocked, lastPublishedAt } = account;
  const chip =
    blocked === null
      ? undefined
      : html`<span class="marks"><span class="state stopped">${icon('stopped')}${words.say('blocked')}</span></span>`;
  return html`<tr${blocked === null ? undefined : html` class="over"`}>
<th scope="row"><a class="name" href="${accountPath(visit, name)}" dir="auto" title="${name}">${name}</a>${chip}</th>
${cell(visit, 'sitesInService', words.number(used.sites))}
${cell(visit, 'archivesSize', words.size(used.bytes))}
${cell(visit, 'publications24h', words.number(used.publications24h))}
${cell(visit, 'lastPublished', lastPublishedAt === null ? words.say('never') : distance(visit, lastPublishedAt))}</tr>`;
}
