import { type ApiKey, DEFAULT_SCOPES, type KeyQuotaExceeded, MEMBER_SCOPES, type Scope } from '@pinfold/core';
import { codePoints } from '@pinfold/core/internal';
import { type Html, html } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import { pageRequest } from '../request/page-request.ts';
import { fieldOf, fieldsOf, type SignedIn, type SignedInContext } from '../request/request-context.ts';
import { type Answer, logged, page, seeOther } from '../response/answer.ts';
import { refuseChanges } from '../response/refuse.ts';
import { choice, choices, confirmation, disabledInReadOnly, field, fieldForm } from '../views/forms.ts';
import { layout } from '../views/layout.ts';
import { card, copyButton, distance, heading } from '../views/parts.ts';
import { listOf } from '../views/tables.ts';

const LONGEST_LABEL = 100;

const SCOPE_MESSAGES: Readonly<Record<Scope, MessageId>> = {
  'pins:read': 'scopeRead',
  'pins:write': 'scopeWrite',
  manage: 'scopeManage',
  admin: 'scopeAdmin',
};

export interface KeyRequest {
  readonly label: string;
  readonly scopes: readonly Scope[];
  readonly trouble: string | undefined;
}

export function showKeys(visit: SignedIn<'keys'>): Promise<Answer> {
  return pageOfKeys(visit, 200, {});
}

/** Makes a key; its text is shown on this page, and never again. */
export async function createKey(visit: SignedIn<'keys'>): Promise<Answer> {
  const request = readKeyRequest(visit);
  const { label, scopes } = request;
  if (request.trouble !== undefined)
    return logged(await pageOfKeys(visit, 422, { request }), { outcome: 'invalid_form' });
  const { account, cause, screen } = visit;
  const made = await screen.keys.create({ account, label, scopes, cause });
  if ('text' in made) return await pageOfKeys(visit, 200, { made: made.text });
  if (made.code !== 'quota_exceeded') return refuseChanges(visit, made);
  return logged(await pageOfKeys(visit, 403, {}), { outcome: made.code });
}

export async function revokeKey({
  request,
  account: by,
  cause,
  base,
  screen,
}: SignedIn<'keys'>): Promise<Answer> {
  const outcome = await screen.keys.revoke({ id: String(request.params.key), by, cause });
  const back = `${base}/keys`;
  return outcome.kind === 'revoked'
    ? seeOther(back, { tone: 'good', message: 'didRevokeKey' })
    : logged(seeOther(back, { tone: 'bad', message: 'not_found_key' }), { outcome: 'not_found' });
}

export function keysFull({ words }: Pick<SignedInContext, 'words'>, { limit }: KeyQuotaExceeded): string {
  return words.say('quota_keys', { limit });
}

export function readKeyRequest(visit: SignedInContext): KeyRequest {
  const label = (fieldOf(visit, 'label') ?? '').trim();
  const scopes = fieldsOf(visit, 'scope').filter(isScope);
  const tooLong = codePoints(label) > LONGEST_LABEL || /\p{Cc}/u.test(label);
  const message = tooLong ? 'labelTooLong' : scopes.length === 0 ? 'scopeNeeded' : undefined;
  const trouble = message && visit.words.say(message, { limit: LONGEST_LABEL });
  return { label, scopes, trouble };
}

/** Only the command creates keys with the scope `admin`. */
function isScope(text: string): text is Scope {
  return (MEMBER_SCOPES as readonly string[]).includes(text);
}

/** A form for a new key, and below it a page of the account's keys: up to fifty rows would hide the form. */
async function pageOfKeys(
  visit: SignedIn<'keys'>,
  status: number,
  { made, request }: { readonly made?: string; readonly request?: KeyRequest },
): Promise<Answer> {
  const { screen, account, words } = visit;
  return await screen.pageTurns.run(account, visit.signal, async () => {
    const listed = await screen.keys.list({ by: account, ...pageRequest(visit) });
    if (listed.kind === 'refused') return seeOther(`${visit.base}/keys`);
    const refusal = await screen.keys.refuseFurther(account);
    const title = words.say('keys');
    const main = html`${heading(title, words.say('keysIntro'))}
${made && newKey(visit, made)}
${card(visit, 'createKey', refusal ? html`<p class="error" role="alert">${keysFull(visit, refusal)}</p>` : keyForm(visit, request))}
${listOfKeys(visit, listed.keys, listed.next)}`;
    const flash = made === undefined ? {} : { flash: { tone: 'good', message: 'didCreateKey' } as const };
    return page(layout(visit, { title, signedIn: visit, part: 'keys', main, ...flash }), status);
  });
}

function newKey(visit: SignedInContext, text: string): Html {
  const { words } = visit;
  return html`<section class="card fresh" aria-labelledby="new-key-title"><h2 id="new-key-title">${words.say('newKey')}</h2>
<p>${words.say('shownOnce')}</p>
<div class="url-row"><code class="url" id="new-key">${text}</code>${copyButton(visit, text, 'copyKey')}</div></section>`;
}

function keyForm(visit: SignedInContext, request: KeyRequest | undefined): Html {
  const { words, base } = visit;
  const content = html`
${keyFields(visit, request?.label ?? '', request?.trouble)}
<div class="buttons"><button class="primary"${disabledInReadOnly(visit)}>${words.say('createKey')}</button></div>`;
  return fieldForm(visit, `${base}/keys`, content);
}

export function keyFields(visit: SignedInContext, label: string, error: string | undefined): Html {
  const { words } = visit;
  const scopes = MEMBER_SCOPES.map((scope) => {
    const text = html`${words.say(SCOPE_MESSAGES[scope])} <code class="quiet">${scope}</code>`;
    return choice('checkbox', 'scope', scope, text, DEFAULT_SCOPES.includes(scope));
  });
  return html`${field(visit, 'label', 'labelLabel', { value: label, error })}
${choices(visit, 'scopesLegend', scopes)}`;
}

function listOfKeys(visit: SignedInContext, keys: readonly ApiKey[], next: string | undefined): Html {
  const { words, base } = visit;
  const nameOf = ({ label }: ApiKey) => (label === '' ? words.say('unlabelled') : label);
  const revoke = (key: ApiKey) =>
    confirmation(visit, 'revoke', `revoke-${key.id}`, `${base}/keys/${key.id}/revoke`, {
      values: { name: nameOf(key) },
    });
  return listOf(visit, {
    items: keys,
    path: '/keys',
    next,
    rowClass: ({ revokedAt }) => (revokedAt === null ? '' : 'over'),
    columns: [
      [
        'label',
        (key) =>
          html`<span class="name" dir="auto" title="${nameOf(key)}">${nameOf(key)}</span><span class="marks"><code class="quiet">pf_${key.id}_…</code></span>`,
      ],
      [
        'scopes',
        ({ scopes }) =>
          html`<span class="scopes">${scopes.map((scope) => html`<span class="chip">${words.say(SCOPE_MESSAGES[scope])}</span> `)}</span>`,
      ],
      ['created', ({ createdAt }) => distance(visit, createdAt)],
      ['lastUsed', ({ lastUsedAt: at }) => (at === null ? words.say('never') : distance(visit, at))],
      [
        'actions',
        (key) =>
          key.revokedAt === null
            ? revoke(key)
            : html`<span class="state stopped">${words.say('revoked')} ${distance(visit, key.revokedAt)}</span>`,
      ],
    ],
  });
}
