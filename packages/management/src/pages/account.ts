import type { Account, AccountId, AccountLimits, Rate } from '@pinfold/core';
import { publicationLimitsOf } from '@pinfold/core/adapter';
import type { AccountOutcome, AdministeredAccount, Administration } from '@pinfold/core/administration';
import { isErasedAccount, isOperatorText, parseAccountId, parseAccountLimit } from '@pinfold/core/internal';
import { type Html, html, requestRateOf } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import { fieldOf, type SignedIn, type SignedInContext } from '../request/request-context.ts';
import { type Answer, page, seeOther } from '../response/answer.ts';
import { notFound } from '../response/refuse.ts';
import { buttonForm, choice, choices, confirmation, field, fieldForm, reasonField } from '../views/forms.ts';
import { accountPath, administrationPage } from '../views/layout.ts';
import { backLink, card, columns, heading, moment } from '../views/parts.ts';
import { factList } from '../views/tables.ts';

type Limit = keyof AccountLimits;

type AccountFormError =
  | { readonly field: 'reason' }
  | { readonly field: Limit; readonly values: Readonly<Record<Limit, string>> };

/** Messages for accounts that cannot be changed, by their state. */
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
  context: SignedIn<'administration'>,
  formError?: AccountFormError,
): Promise<Answer> {
  const { messages, base, screen } = context;
  const name = nameOf(context);
  const found = name && (await screen.administration.showAccount(name));
  if (found === undefined) return notFound(context);
  const { account } = found;
  const limits = limitsForm(context, account, await limitsInForce(context, account), formError);
  const main = html`${backLink(`${base}/administration`, messages.text('backToAccounts'))}
${heading(account.name)}
${columns(card(context, 'accountLimits', limits), html`${factsCard(context, found)}${blockCard(context, account)}`)}`;
  const isReasonWrong = formError?.field === 'reason';
  return page(
    administrationPage(context, 'accounts', main, { title: account.name, isReasonWrong }),
    formError === undefined ? 200 : 422,
  );
}

/** Sets all limits of an account; an empty field means the service's default. */
export async function limit(context: SignedIn<'administration'>): Promise<Answer> {
  const entered = LIMITS.map(([name]) => [name, textOf(context, name)] as const);
  const limits: Record<string, unknown> = {};
  for (const [field, text] of entered) {
    const value = text === '' ? null : parseAccountLimit(field, text);
    if (value === undefined) {
      const values = Object.fromEntries(entered) as Record<Limit, string>;
      return showAccount(context, { field, values });
    }
    limits[field] = value;
  }
  return change(context, 'didLimit', (administration, name) =>
    administration.limitAccount(name, limits as unknown as AccountLimits, context.cause),
  );
}

export async function block(context: SignedIn<'administration'>): Promise<Answer> {
  const reason = reasonOf(context);
  if (reason === undefined) return showAccount(context, { field: 'reason' });
  const sites = fieldOf(context, 'sites') === 'hide' ? 'hide' : 'keep';
  return change(context, 'didBlock', (administration, name) =>
    administration.blockAccount(name, { reason, sites }, context.cause),
  );
}

export async function unblock(context: SignedIn<'administration'>): Promise<Answer> {
  return change(context, 'didUnblock', (administration, name) =>
    administration.unblockAccount(name, context.cause),
  );
}

async function change(
  context: SignedIn<'administration'>,
  message: MessageId,
  work: (administration: Administration, name: AccountId) => Promise<AccountOutcome>,
): Promise<Answer> {
  const name = nameOf(context);
  const { administration } = context.screen;
  // Only the API and the command create accounts by name.
  if (name === undefined || (await administration.showAccount(name)) === undefined) return notFound(context);
  const outcome = await work(administration, name);
  if ('code' in outcome)
    return seeOther(accountPath(context, name), { tone: 'bad', message: STATES[outcome.state] });
  return seeOther(accountPath(context, name), { tone: 'good', message });
}

export function reasonOf(context: SignedInContext): string | undefined {
  const reason = textOf(context, 'reason');
  return isOperatorText(reason) ? reason : undefined;
}

export function nameOf({ request }: SignedInContext): AccountId | undefined {
  return parseAccountId(String(request.params.name));
}

function textOf(context: SignedInContext, name: string): string {
  return (fieldOf(context, name) ?? '').trim();
}

async function limitsInForce(
  { messages, screen }: SignedInContext,
  account: Account,
): Promise<LimitsInForce> {
  const { useCases, requestRate } = screen;
  const { publications, sites, bytes } = publicationLimitsOf(account, await useCases.quotasOf(account.name));
  const requests = await requestRateOf(requestRate, { account: account.name, scopes: [] }, account);
  const rateText = ({ count, window }: Rate) =>
    messages.text('ratePer', { count, span: messages.span(window) });
  return {
    requests: requests && rateText(requests),
    publications: publications && rateText(publications),
    sites: sites === null ? null : messages.number(sites),
    bytes: bytes === null ? null : messages.size(bytes),
  };
}

function factsCard(context: SignedInContext, { account, used }: AdministeredAccount): Html {
  const { messages, base, screen } = context;
  const { name, lastPublishedAt } = account;
  const facts = factList(context, [
    ['sitesInService', messages.number(used.sites)],
    ['archivesSize', messages.size(used.bytes)],
    ['publications24h', messages.number(used.publications24h)],
    ['lastPublished', lastPublishedAt === null ? messages.text('never') : moment(context, lastPublishedAt)],
  ]);
  const query = String(new URLSearchParams({ account: name }));
  const link = (part: 'publications' | 'history' | 'sessions') =>
    html`<a href="${base}/administration/${part}?${query}">${messages.text(part)}</a>`;
  const content = html`${facts}
<p>${link('publications')}${screen.history && html` · ${link('history')}`}${screen.sessions && html` · ${link('sessions')}`}</p>`;
  return card(context, 'facts', content);
}

function limitsForm(
  context: SignedInContext,
  { name, limits }: Account,
  inForce: LimitsInForce,
  formError: AccountFormError | undefined,
): Html {
  const { messages } = context;
  const wrong = formError?.field === 'reason' ? undefined : formError;
  const fields = LIMITS.map(([id, label, message]) =>
    field(context, id, label, {
      value: String(wrong?.values[id] ?? limits[id] ?? ''),
      describedBy: 'limit-hint',
      hint: messages.text('limitInForce', { limit: inForce[id] ?? messages.text('unlimited') }),
      error: wrong?.field === id ? messages.text(message) : undefined,
    }),
  );
  const content = html`
<p class="quiet hint" id="limit-hint">${messages.text('limitHint')}</p>
${fields}
<div class="buttons"><button>${messages.text('limitsSet')}</button></div>`;
  return fieldForm(context, `${accountPath(context, name)}/limits`, content);
}

function blockCard(context: SignedInContext, { name, blocked }: Account): Html {
  const { messages } = context;
  const path = accountPath(context, name);
  if (blocked?.isErasing === true || isErasedAccount(name)) {
    const text = messages.text(blocked?.isErasing === true ? 'accountErasing' : 'accountErased');
    return card(context, 'blocking', html`<p>${text}</p>`);
  }
  if (blocked !== null) {
    const values = { moment: messages.moment(blocked.at), reason: blocked.reason };
    const content = html`<p dir="auto">${messages.text('blockedBecause', values)}</p><p>${messages.text(blocked.sites === 'hide' ? 'blockHidden' : 'blockLeavesSites')}</p>
<div class="buttons">${buttonForm(context, `${path}/unblock`, messages.text('unblock'))}</div>`;
    return card(context, 'blocking', content);
  }
  const sites = choices(context, 'blockSites', [
    choice('radio', 'sites', 'keep', messages.text('blockKeep'), true),
    choice('radio', 'sites', 'hide', messages.text('blockHide')),
  ]);
  const ownWarning = name === context.account && html`<p><strong>${messages.text('blockOwn')}</strong></p>`;
  const details = { values: { name }, fields: html`${ownWarning}${reasonField(context)}${sites}` };
  const dialog = confirmation(context, 'block', 'block', `${path}/block`, details);
  return card(context, 'blocking', html`<p class="quiet">${messages.text('blockMeans')}</p>${dialog}`);
}
