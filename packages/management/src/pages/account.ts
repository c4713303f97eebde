import type { Account, AccountId, AccountLimits, Rate } from '@pinfold/core';
import { boundsOf } from '@pinfold/core/adapter';
import type { AccountOutcome, AdministeredAccount, Administration } from '@pinfold/core/administration';
import { isErasedAccount, isOperatorText, parseAccountId, parseAccountLimit } from '@pinfold/core/internal';
import { type Html, html, requestRateOf } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import { fieldOf, type SignedIn, type SignedInContext } from '../request/request-context.ts';
import { type Answer, page, seeOther } from '../response/answer.ts';
import { notFound } from '../response/refuse.ts';
import { accountPath, administrationPage } from '../views/administration.ts';
import { buttonForm, choice, choices, confirmation, field, fieldForm, reasonField } from '../views/forms.ts';
import { backLink, card, columns, heading, moment } from '../views/parts.ts';
import { factList } from '../views/tables.ts';

type Limit = keyof AccountLimits;

/** The errors of a form, with the entered limits. */
type AccountTrouble =
  | { readonly field: 'reason' }
  | { readonly field: Limit; readonly values: Readonly<Record<Limit, string>> };

/** Why nothing of an account is changed. */
const STATES = {
  erased: 'accountErased',
  erasing: 'accountErasing',
  never_erased: 'accountErased',
} as const;

type LimitsInForce = Readonly<Record<Limit, string | null>>;

const LIMITS: readonly (readonly [limit: Limit, label: MessageId, wrong: MessageId])[] = [
  ['requests', 'limitsRequests', 'limitRateWrong'],
  ['publications', 'limitsPublications', 'limitRateWrong'],
  ['sites', 'sitesInService', 'limitQuotaWrong'],
  ['bytes', 'limitsBytes', 'limitQuotaWrong'],
];

export async function showAccount(
  visit: SignedIn<'administration'>,
  trouble?: AccountTrouble,
): Promise<Answer> {
  const { words, base, screen } = visit;
  const name = nameOf(visit);
  const found = name && (await screen.administration.showAccount(name));
  if (found === undefined) return notFound(visit);
  const { account } = found;
  const limits = limitsForm(visit, account, await limitsInForce(visit, account), trouble);
  const main = html`${backLink(`${base}/administration`, words.say('backToAccounts'))}
${heading(account.name)}
${columns(card(visit, 'accountLimits', limits), html`${factsCard(visit, found)}${blockCard(visit, account)}`)}`;
  const isReasonWrong = trouble?.field === 'reason';
  return page(
    administrationPage(visit, 'accounts', main, { title: account.name, isReasonWrong }),
    trouble === undefined ? 200 : 422,
  );
}

/** Sets all limits of an account; an empty field leaves it to the service. */
export async function limit(visit: SignedIn<'administration'>): Promise<Answer> {
  const entered = LIMITS.map(([name]) => [name, textOf(visit, name)] as const);
  const limits: Record<string, unknown> = {};
  for (const [field, text] of entered) {
    const value = text === '' ? null : parseAccountLimit(field, text);
    if (value === undefined) {
      const values = Object.fromEntries(entered) as Record<Limit, string>;
      return showAccount(visit, { field, values });
    }
    limits[field] = value;
  }
  return change(visit, 'didLimit', (administration, name) =>
    administration.limitAccount(name, limits as unknown as AccountLimits, visit.cause),
  );
}

export async function block(visit: SignedIn<'administration'>): Promise<Answer> {
  const reason = reasonOf(visit);
  if (reason === undefined) return showAccount(visit, { field: 'reason' });
  const sites = fieldOf(visit, 'sites') === 'hide' ? 'hide' : 'keep';
  return change(visit, 'didBlock', (administration, name) =>
    administration.blockAccount(name, { reason, sites }, visit.cause),
  );
}

export async function unblock(visit: SignedIn<'administration'>): Promise<Answer> {
  return change(visit, 'didUnblock', (administration, name) =>
    administration.unblockAccount(name, visit.cause),
  );
}

async function change(
  visit: SignedIn<'administration'>,
  message: MessageId,
  work: (administration: Administration, name: AccountId) => Promise<AccountOutcome>,
): Promise<Answer> {
  const name = nameOf(visit);
  const { administration } = visit.screen;
  // Only the API and the command create accounts by name.
  if (name === undefined || (await administration.showAccount(name)) === undefined) return notFound(visit);
  const outcome = await work(administration, name);
  if ('code' in outcome)
    return seeOther(accountPath(visit, name), { tone: 'bad', message: STATES[outcome.state] });
  return seeOther(accountPath(visit, name), { tone: 'good', message });
}

export function reasonOf(visit: SignedInContext): string | undefined {
  const reason = textOf(visit, 'reason');
  return isOperatorText(reason) ? reason : undefined;
}

export function nameOf({ request }: SignedInContext): AccountId | undefined {
  return parseAccountId(String(request.params.name));
}

function textOf(visit: SignedInContext, name: string): string {
  return (fieldOf(visit, name) ?? '').trim();
}

async function limitsInForce({ words, screen }: SignedInContext, account: Account): Promise<LimitsInForce> {
  const { useCases, requestRate } = screen;
  const { publications, sites, bytes } = boundsOf(account, await useCases.quotasOf(account.name));
  const requests = await requestRateOf(requestRate, { account: account.name, scopes: [] }, account);
  const rateText = ({ count, window }: Rate) => words.say('ratePer', { count, span: words.span(window) });
  return {
    requests: requests && rateText(requests),
    publications: publications && rateText(publications),
    sites: sites === null ? null : words.number(sites),
    bytes: bytes === null ? null : words.size(bytes),
  };
}

function factsCard(visit: SignedInContext, { account, used }: AdministeredAccount): Html {
  const { words, base, offers } = visit;
  const { name, lastPublishedAt } = account;
  const facts = factList(visit, [
    ['sitesInService', words.number(used.sites)],
    ['archivesSize', words.size(used.bytes)],
    ['publications24h', words.number(used.publications24h)],
    ['lastPublished', lastPublishedAt === null ? words.say('never') : moment(visit, lastPublishedAt)],
  ]);
  const query = String(new URLSearchParams({ account: name }));
  const link = (part: 'publications' | 'history' | 'sessions') =>
    html`<a href="${base}/administration/${part}?${query}">${words.say(part)}</a>`;
  return card(
    visit,
    'facts',
    html`${facts}
<p>${link('publications')}${offers.history && html` · ${link('history')}`}${offers.signOut && html` · ${link('sessions')}`}</p>`,
  );
}

function limitsForm(
  visit: SignedInContext,
  { name, limits }: Account,
  inForce: LimitsInForce,
  trouble: AccountTrouble | undefined,
): Html {
  const { words } = visit;
  const wrong = trouble?.field === 'reason' ? undefined : trouble;
  const fields = LIMITS.map(([id, label, message]) =>
    field(visit, id, label, {
      value: String(wrong?.values[id] ?? limits[id] ?? ''),
      describedBy: 'limit-hint',
      hint: words.say('limitInForce', { limit: inForce[id] ?? words.say('unlimited') }),
      error: wrong?.field === id ? words.say(message) : undefined,
    }),
  );
  const content = html`
<p class="quiet hint" id="limit-hint">${words.say('limitHint')}</p>
${fields}
<div class="buttons"><button>${words.say('limitsSet')}</button></div>`;
  return fieldForm(visit, `${accountPath(visit, name)}/limits`, content);
}

function blockCard(visit: SignedInContext, { name, blocked }: Account): Html {
  const { words } = visit;
  const path = accountPath(visit, name);
  if (blocked?.isErasing === true || isErasedAccount(name)) {
    const text = words.say(blocked?.isErasing === true ? 'accountErasing' : 'accountErased');
    return card(visit, 'blocking', html`<p>${text}</p>`);
  }
  if (blocked !== null) {
    const values = { moment: words.moment(blocked.at), reason: blocked.reason };
    const content = html`<p dir="auto">${words.say('blockedBecause', values)}</p><p>${words.say(blocked.sites === 'hide' ? 'blockHidden' : 'blockKept')}</p>
<div class="buttons">${buttonForm(visit, `${path}/unblock`, words.say('unblock'))}</div>`;
    return card(visit, 'blocking', content);
  }
  const sites = choices(visit, 'blockSites', [
    choice('radio', 'sites', 'keep', words.say('blockKeep'), true),
    choice('radio', 'sites', 'hide', words.say('blockHide')),
  ]);
  const own = name === visit.account && html`<p><strong>${words.say('blockOwn')}</strong></p>`;
  const details = { values: { name }, fields: html`${own}${reasonField(visit)}${sites}` };
  const dialog = confirmation(visit, 'block', 'block', `${path}/block`, details);
  return card(visit, 'blocking', html`<p class="quiet">${words.say('blockMeans')}</p>${dialog}`);
}
