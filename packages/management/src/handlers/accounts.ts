import { type AccountId, type AccountLimits, accountId, OPERATOR } from '@pinfold/core';
import {
  type AdministeredAccount,
  type Administration,
  isOperatorText,
  parseAccountLimit,
} from '@pinfold/core/administration';
import type { MessageId } from '../messages/catalogues.ts';
import type { Screen } from '../options.ts';
import { pageRequest, positionOf, present, queryText } from '../request/page-request.ts';
import { fieldOf, type SignedInContext } from '../request/request-context.ts';
import { type Answer, page, seeOther } from '../response/answer.ts';
import { notFound } from '../response/refuse.ts';
import { type AccountTrouble, accountView } from '../views/account.ts';
import { accountHistoryView } from '../views/account-history.ts';
import { accountsView } from '../views/accounts.ts';

const PAGE_SIZE = 50;

/** Shows a page of all accounts, or leads to the one that was asked for by name. */
export async function showAccounts(screen: Screen, visit: SignedInContext): Promise<Answer> {
  const name = queryText(visit, 'name');
  if (name !== '') return seeOther(pathOf(visit, name));
  const asked = pageRequest(visit, PAGE_SIZE);
  const listed = await administrationOf(screen).listAccounts(asked);
  if (listed.kind === 'refused') return seeOther(`${visit.base}/administration`);
  return page(accountsView(visit, { accounts: listed.accounts, position: positionOf(asked, listed) }));
}

/** Shows an account, and what was wrong with a form about it. */
export async function showAccount(
  screen: Screen,
  visit: SignedInContext,
  trouble?: AccountTrouble,
): Promise<Answer> {
  const name = nameOf(visit);
  const found = name === undefined ? undefined : await administrationOf(screen).showAccount(name);
  if (found === undefined) return notFound(visit);
  return page(accountView(visit, found, trouble), trouble === undefined ? 200 : 422);
}

/** Sets all limits of an account; an empty field leaves it to the service. */
export async function limit(screen: Screen, visit: SignedInContext): Promise<Answer> {
  const values = {
    requests: textOf(visit, 'requests'),
    publications: textOf(visit, 'publications'),
    sites: textOf(visit, 'sites'),
    bytes: textOf(visit, 'bytes'),
  };
  const limits: Record<string, unknown> = {};
  for (const field of ['requests', 'publications', 'sites', 'bytes'] as const) {
    const text = values[field];
    const value = text === '' ? null : parseAccountLimit(field, text);
    if (value === undefined) return showAccount(screen, visit, { field, values });
    limits[field] = value;
  }
  return change(screen, visit, 'didLimit', (administration, name) =>
    administration.limitAccount(name, limits as unknown as AccountLimits, visit.cause),
  );
}

/** Blocks an account. */
export async function block(screen: Screen, visit: SignedInContext): Promise<Answer> {
  const reason = reasonOf(visit);
  if (reason === undefined) return showAccount(screen, visit, { field: 'reason' });
  const sites = fieldOf(visit, 'sites') === 'hide' ? 'hide' : 'keep';
  return change(screen, visit, 'didBlock', (administration, name) =>
    administration.blockAccount(name, { reason, sites }, visit.cause),
  );
}

/** Ends a block. */
export async function unblock(screen: Screen, visit: SignedInContext): Promise<Answer> {
  return change(screen, visit, 'didUnblock', (administration, name) =>
    administration.unblockAccount(name, visit.cause),
  );
}

/** Shows what happened to all accounts, or to one. */
export async function showAccountHistory({ history }: Screen, visit: SignedInContext): Promise<Answer> {
  const account = known(queryText(visit, 'account'));
  const asked = pageRequest(visit, PAGE_SIZE);
  const listed = await history?.list({ by: OPERATOR, ...asked, ...present({ account }) });
  if (listed === undefined) return notFound(visit);
  if (listed.kind === 'refused') return seeOther(`${visit.base}/administration/history`);
  return page(
    accountHistoryView(visit, { events: listed.events, account, position: positionOf(asked, listed) }),
  );
}

/** The reason of the form; `undefined` if it is invalid. */
export function reasonOf(visit: SignedInContext): string | undefined {
  const reason = textOf(visit, 'reason');
  return isOperatorText(reason) ? reason : undefined;
}

/** The use cases of administration: routes that need them exist only with them. */
export function administrationOf({ administration }: Screen): Administration {
  if (administration === undefined) throw new TypeError('there is no administration');
  return administration;
}

async function change(
  screen: Screen,
  visit: SignedInContext,
  done: MessageId,
  work: (administration: Administration, name: AccountId) => Promise<AdministeredAccount>,
): Promise<Answer> {
  const name = nameOf(visit);
  const administration = administrationOf(screen);
  // Only the API and the command create accounts by name.
  if (name === undefined || (await administration.showAccount(name)) === undefined) return notFound(visit);
  await work(administration, name);
  return seeOther(pathOf(visit, name), { tone: 'good', message: done });
}

function pathOf({ base }: SignedInContext, name: string): string {
  return `${base}/administration/accounts/${encodeURIComponent(name)}`;
}

function nameOf({ request }: SignedInContext): AccountId | undefined {
  return known(String(request.params.name));
}

/** A text as the name of an account; `undefined` if it cannot be one. */
export function known(name: string): AccountId | undefined {
  try {
    return accountId(name);
  } catch {
    return undefined;
  }
}

function textOf(visit: SignedInContext, field: string): string {
  return (fieldOf(visit, field) ?? '').trim();
}
