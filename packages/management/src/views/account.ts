import type { Account, AccountLimits } from '@pinfold/core';
import type { AdministeredAccount } from '@pinfold/core/administration';
import { type Html, html } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { accountPath, administrationPage, REASON_WRONG } from './administration.ts';
import { buttonForm, card, confirmation, moment, reasonField } from './parts.ts';
import { factList } from './tables.ts';

export type AccountTrouble =
  | { readonly field: 'reason' }
  | {
      readonly field: keyof AccountLimits;
      readonly values: Readonly<Record<keyof AccountLimits, string>>;
    };

export type LimitsInForce = Readonly<Record<keyof AccountLimits, string | null>>;

const LIMITS: readonly (readonly [field: keyof AccountLimits, label: MessageId, wrong: MessageId])[] = [
  ['requests', 'limitsRequests', 'limitRateWrong'],
  ['publications', 'limitsPublications', 'limitRateWrong'],
  ['sites', 'limitsSites', 'limitQuotaWrong'],
  ['bytes', 'limitsBytes', 'limitQuotaWrong'],
];

export function accountView(
  visit: SignedInContext,
  { account, used }: AdministeredAccount,
  inForce: LimitsInForce,
  trouble: AccountTrouble | undefined,
): Html {
  const { words, base, offers } = visit;
  const query = String(new URLSearchParams({ account: account.name }));
  const { lastPublishedAt } = account;
  const facts = factList(visit, [
    ['sitesInService', words.number(used.sites)],
    ['archivesSize', words.size(used.bytes)],
    ['publications24h', words.number(used.publications24h)],
    ['lastPublished', lastPublishedAt === null ? words.say('never') : moment(visit, lastPublishedAt)],
  ]);
  const use = html`${facts}
<p><a href="${base}/administration/publications?${query}">${words.say('itsPublications')}</a>${
    offers.history
      ? html` · <a href="${base}/administration/history?${query}">${words.say('itsHistory')}</a>`
      : undefined
  }${offers.signOut ? html` · <a href="${base}/administration/sessions?${query}">${words.say('itsSessions')}</a>` : undefined}</p>`;
  return administrationPage(visit, {
    part: 'accounts',
    ...(trouble?.field === 'reason' ? { flash: REASON_WRONG } : {}),
    title: account.name,
    main: html`<p class="back"><a href="${base}/administration">${words.say('backToAccounts')}</a></p>
<div class="head"><h1 dir="auto">${account.name}</h1></div>
<div class="columns"><div class="stack">${limitsCard(visit, account, inForce, trouble)}</div>
<div class="stack">${card(visit, 'facts', use)}${blockCard(visit, account)}</div></div>`,
  });
}

function limitsCard(
  visit: SignedInContext,
  { name, limits }: Account,
  inForce: LimitsInForce,
  trouble: AccountTrouble | undefined,
): Html {
  const { words, formToken } = visit;
  const wrong = trouble?.field === 'reason' ? undefined : trouble;
  const field = ([id, label, message]: (typeof LIMITS)[number]) => {
    const isWrong = wrong?.field === id;
    const value = wrong?.values[id] ?? limits[id] ?? '';
    const invalid = isWrong
      ? html` aria-invalid="true" aria-describedby="limit-hint ${id}-now ${id}-error" autofocus`
      : html` aria-describedby="limit-hint ${id}-now"`;
    const now = words.say('limitInForce', { limit: inForce[id] ?? words.say('unlimited') });
    return html`<div class="field"><label for="${id}">${words.say(label)}</label><input id="${id}" name="${id}" value="${value}" autocomplete="off"${invalid}>
<p class="quiet hint" id="${id}-now">${now}</p>
${isWrong ? html`<p class="error" id="${id}-error">${words.say(message)}</p>` : undefined}</div>`;
  };
  const content = html`<form method="post" action="${accountPath(visit, name)}/limits" class="field-form"><input type="hidden" name="form" value="${formToken}">
<p class="quiet hint" id="limit-hint">${words.say('limitHint')}</p>
${LIMITS.map(field)}
<div class="buttons"><button>${words.say('limitsSet')}</button></div></form>`;
  return card(visit, 'accountLimits', content);
}

function blockCard(visit: SignedInContext, { name, blocked }: Account): Html {
  const { words } = visit;
  if (blocked !== null) {
    const because = words.say('blockedBecause', {
      moment: words.moment(blocked.at),
      reason: blocked.reason,
    });
    const content = html`<p dir="auto">${because}</p><p>${words.say(blocked.sites === 'hide' ? 'blockHidden' : 'blockKept')}</p>
<div class="buttons">${buttonForm(visit, `${accountPath(visit, name)}/unblock`, words.say('unblock'))}</div>`;
    return card(visit, 'blocking', content);
  }
  const choice = (value: string, message: MessageId, checked?: Html) =>
    html`<label class="check"><input type="radio" name="sites" value="${value}"${checked}> <span>${words.say(message)}</span></label>`;
  const fields = html`${reasonField(visit)}
<fieldset><legend>${words.say('blockSites')}</legend>${choice('keep', 'blockKeep', html` checked`)}${choice('hide', 'blockHide')}</fieldset>`;
  const action = `${accountPath(visit, name)}/block`;
  const dialog = confirmation(visit, 'block', 'block', action, { values: { name }, fields });
  return card(visit, 'blocking', html`<p class="quiet">${words.say('blockMeans')}</p>${dialog}`);
}
