import { type AccountId, type AccountLimits, accountId, OPERATOR, type Rate } from '@pinfold/core';
import { boundsOf } from '@pinfold/core/adapter';
import type { AdministeredAccount, Administration } from '@pinfold/core/administration';
import { isOperatorText, parseAccountLimit } from '@pinfold/core/internal';
import { requestRateOf } from '@pinfold/http/internal';
import type { Words } from '../i18n.ts';
import type { MessageId } from '../messages/catalogues.ts';
import type { With } from '../options.ts';
import { PAGE_SIZE, pageRequest, positionOf, present, queryText } from '../request/page-request.ts';
import { fieldOf, type SignedInContext } from '../request/request-context.ts';
import { type Answer, page, seeOther } from '../response/answer.ts';
import { notFound } from '../response/refuse.ts';
import { type AccountTrouble, accountView, type LimitsInForce } from '../views/account.ts';
import { accountsView } from '../views/accounts.ts';
import { accountHistoryView } from '../views/history.ts';
import { namesOf } from './history.ts';

/** Accounts that one search looks through. */
const MOST_SEARCHED = 1_000;

/** Shows a page of all accounts, those with a part of a name, or those that use most. */
export async function showAccounts(screen: With<'administration'>, visit: SignedInContext): Promise<Answer> {
  const name = queryText(visit, 'name');
  const byUse = visit.request.query.sort === 'use';
  if (name !== '' || byUse) return await searchAccounts(screen, visit, name, byUse);
  const asked = pageRequest(visit);
  const listed = await screen.administration.listAccounts(asked);
  if (listed.kind === 'refused') return seeOther(`${visit.base}/administration`);
  return page(
    accountsView(visit, { accounts: listed.accounts, position: positionOf(asked, listed), name, byUse }),
  );
}

/**
 * Looks through the accounts by name; if only one has the part of a name, leads to it. Where there are more accounts
 * than one search looks through, a whole name is found all the same.
 */
async function searchAccounts(
  screen: With<'administration'>,
  visit: SignedInContext,
  name: string,
  byUse: boolean,
): Promise<Answer> {
  const all: AdministeredAccount[] = [];
  let cursor: string | undefined;
  do {
    const listed = await screen.administration.listAccounts({ limit: 100, ...present({ cursor }) });
    if (listed.kind === 'refused') break;
    all.push(...listed.accounts);
    cursor = listed.next;
  } while (cursor !== undefined && all.length < MOST_SEARCHED);
  const part = name.toLowerCase();
  const found = all.filter(({ account }) => account.name.toLowerCase().includes(part));
  if (byUse) found.sort((one, other) => other.used.bytes - one.used.bytes);
  const searched = cursor === undefined ? undefined : all.length;
  const whole = searched === undefined ? undefined : known(name);
  if (whole !== undefined && (await screen.administration.showAccount(whole)) !== undefined)
    return seeOther(pathOf(visit, whole));
  const [only] = found;
  if (name !== '' && found.length === 1 && only !== undefined && searched === undefined)
    return seeOther(pathOf(visit, only.account.name));
  const position = { further: false, next: undefined };
  const accounts = found.slice(0, PAGE_SIZE);
  return page(accountsView(visit, { accounts, position, name, byUse, searched }));
}

export async function showAccount(
  screen: With<'administration'>,
  visit: SignedInContext,
  trouble?: AccountTrouble,
): Promise<Answer> {
  const name = nameOf(visit);
  const found = name === undefined ? undefined : await screen.administration.showAccount(name);
  if (found === undefined) return notFound(visit);
  const inForce = await limitsInForce(screen, visit, found);
  return page(accountView(visit, found, inForce, trouble), trouble === undefined ? 200 : 422);
}

/** The limits of an account as they are now: its own, or else the service's. */
async function limitsInForce(
  { useCases, requestRate }: With<'administration'>,
  { words }: SignedInContext,
  { account }: AdministeredAccount,
): Promise<LimitsInForce> {
  const { publications, sites, bytes } = boundsOf(account, await useCases.quotasOf(account.name));
  const requests = await requestRateOf(requestRate, { account: account.name, scopes: [] }, account);
  return {
    requests: requests && rateText(words, requests),
    publications: publications && rateText(words, publications),
    sites: sites === null ? null : words.number(sites),
    bytes: bytes === null ? null : words.size(bytes),
  };
}

function rateText(words: Words<MessageId>, { count, window }: Rate): string {
  return words.say('ratePer', { count, span: words.span(window) });
}

/** Sets all limits of an account; an empty field leaves it to the service. */
export async function limit(screen: With<'administration'>, visit: SignedInContext): Promise<Answer> {
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

export async function block(screen: With<'administration'>, visit: SignedInContext): Promise<Answer> {
  const reason = reasonOf(visit);
  if (reason === undefined) return showAccount(screen, visit, { field: 'reason' });
  const sites = fieldOf(visit, 'sites') === 'hide' ? 'hide' : 'keep';
  return change(screen, visit, 'didBlock', (administration, name) =>
    administration.blockAccount(name, { reason, sites }, visit.cause),
  );
}

export async function unblock(screen: With<'administration'>, visit: SignedInContext): Promise<Answer> {
  return change(screen, visit, 'didUnblock', (administration, name) =>
    administration.unblockAccount(name, visit.cause),
  );
}

export async function showAccountHistory(
  screen: With<'administration'>,
  visit: SignedInContext,
): Promise<Answer> {
  const account = known(queryText(visit, 'account'));
  const asked = pageRequest(visit);
  const listed = await screen.history?.list({ by: OPERATOR, ...asked, ...present({ account }) });
  if (listed === undefined) return notFound(visit);
  if (listed.kind === 'refused') return seeOther(`${visit.base}/administration/history`);
  const { events } = listed;
  const names = await namesOf(screen, visit, events, OPERATOR);
  return page(accountHistoryView(visit, { events, names, account, position: positionOf(asked, listed) }));
}

/** The reason of the form; `undefined` if it is invalid. */
export function reasonOf(visit: SignedInContext): string | undefined {
  const reason = textOf(visit, 'reason');
  return isOperatorText(reason) ? reason : undefined;
}

async function change(
  screen: With<'administration'>,
  visit: SignedInContext,
  done: MessageId,
  work: (administration: Administration, name: AccountId) => Promise<AdministeredAccount>,
): Promise<Answer> {
  const name = nameOf(visit);
  const { administration } = screen;
  // Only the API and the command create accounts by name.
  if (name === undefined || (await administration.showAccount(name)) === undefined) return notFound(visit);
  await work(administration, name);
  return seeOther(pathOf(visit, name), { tone: 'good', message: done });
}

function pathOf({ base }: SignedInContext, name: string): string {
  return `${base}/administration/accounts/${encodeURIComponent(name)}`;
}

export function nameOf({ request }: SignedInContext): AccountId | undefined {
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
