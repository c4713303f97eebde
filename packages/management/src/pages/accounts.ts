import type { AdministeredAccount } from '@pinfold/core/administration';
import { parseAccountId } from '@pinfold/core/internal';
import { html } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import { omitEmpty, PAGE_SIZE, pageRequest, queryText } from '../request/page-request.ts';
import type { SignedIn } from '../request/request-context.ts';
import { type Answer, page, seeOther } from '../response/answer.ts';
import { hidden } from '../views/forms.ts';
import { accountPath, administrationPage } from '../views/layout.ts';
import { distance, heading, icon } from '../views/parts.ts';
import { filters, listOf, queryOf, searchButton, searchField } from '../views/tables.ts';

const MAX_SEARCHED = 1_000;

interface Found {
  readonly accounts: readonly AdministeredAccount[];
  readonly next?: string | undefined;
  /** How many accounts were searched; absent if all were. */
  readonly searched?: number | undefined;
}

export async function showAccounts(context: SignedIn<'administration'>): Promise<Answer> {
  const name = queryText(context, 'name');
  const byUse = context.query.sort === 'use';
  if (name !== '' || byUse) return await searchAccounts(context, name, byUse);
  const listed = await context.screen.administration.listAccounts(pageRequest(context));
  if (listed.kind === 'refused') return seeOther(`${context.base}/administration`);
  return accountsPage(context, name, byUse, listed);
}

/** Searches accounts by name, and redirects to a single match. A complete name is found beyond the search's limit, too. */
async function searchAccounts(
  context: SignedIn<'administration'>,
  name: string,
  byUse: boolean,
): Promise<Answer> {
  const { administration } = context.screen;
  const all: AdministeredAccount[] = [];
  let cursor: string | undefined;
  do {
    const listed = await administration.listAccounts({ limit: 100, ...omitEmpty({ cursor }) });
    if (listed.kind === 'refused') break;
    all.push(...listed.accounts);
    cursor = listed.next;
  } while (cursor !== undefined && all.length < MAX_SEARCHED);
  const text = name.toLowerCase();
  const found = all.filter(({ account }) => account.name.toLowerCase().includes(text));
  if (byUse) found.sort((one, other) => other.used.bytes - one.used.bytes);
  const searched = cursor === undefined ? undefined : all.length;
  const fullName = searched === undefined ? undefined : parseAccountId(name);
  if (fullName !== undefined && (await administration.showAccount(fullName)) !== undefined)
    return seeOther(accountPath(context, fullName));
  const [only] = found;
  if (name !== '' && found.length === 1 && only !== undefined && searched === undefined)
    return seeOther(accountPath(context, only.account.name));
  return accountsPage(context, name, byUse, { accounts: found.slice(0, PAGE_SIZE), searched });
}

function accountsPage(
  context: SignedIn<'administration'>,
  name: string,
  byUse: boolean,
  { accounts, next, searched }: Found,
): Answer {
  const { messages, base } = context;
  const path = `${base}/administration`;
  const order = (message: MessageId, sort: string) =>
    [message, path + queryOf({ sort, name }), (sort === 'use') === byUse] as const;
  const blocked = html`<span class="marks"><span class="state stopped">${icon('stopped')}${messages.text('blocked')}</span></span>`;
  const main = html`${heading(messages.text('accounts'), messages.text('accountsIntro'))}
<div class="list-top">${filters(context, 'sortLabel', [order('sortByName', ''), order('sortByUse', 'use')])}<form class="search" role="search" action="${path}">
${byUse && hidden('sort', 'use')}
${searchField(context, 'name', 'accountName', name)}
${searchButton(context, 'findAccount')}
</form></div>
${searched && html`<p class="quiet">${messages.text('accountsSearched', { count: searched })}</p>`}
${listOf(context, {
  items: accounts,
  none: 'accountsNone',
  path: '/administration',
  next,
  rowClass: ({ account }) => (account.blocked === null ? '' : 'over'),
  columns: [
    [
      'account',
      ({ account }) =>
        html`<a class="name" href="${accountPath(context, account.name)}" dir="auto" title="${account.name}">${account.name}</a>${account.blocked && blocked}`,
    ],
    ['sitesInService', ({ used }) => messages.number(used.sites)],
    ['archivesSize', ({ used }) => messages.size(used.bytes)],
    ['publications24h', ({ used }) => messages.number(used.publications24h)],
    [
      'lastPublished',
      ({ account: { lastPublishedAt: at } }) =>
        at === null ? messages.text('never') : distance(context, at),
    ],
  ],
})}`;
  return page(administrationPage(context, 'accounts', main));
}
