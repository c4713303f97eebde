import { type ApiKey, DEFAULT_SCOPES, MEMBER_SCOPES, type Scope } from '@pinfold/core';
import { codePoints } from '@pinfold/core/internal';
import { type Html, html } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import { refuseAnyChange } from '../request/middleware.ts';
import { pageRequest } from '../request/page-request.ts';
import { fieldOf, fieldsOf, type SignedIn, type SignedInContext } from '../request/request-context.ts';
import { type Answer, page, seeOther, withLog } from '../response/answer.ts';
import { choice, choices, confirmation, disabledInReadOnly, field, fieldForm } from '../views/forms.ts';
import { layout } from '../views/layout.ts';
import { card, copyButton, distance, heading } from '../views/parts.ts';
import { listOf } from '../views/tables.ts';

const MAX_LABEL_LENGTH = 100;

const SCOPE_MESSAGES: Readonly<Record<Scope, MessageId>> = {
  'pins:read': 'scopeRead',
  'pins:write': 'scopeWrite',
  manage: 'scopeManage',
  admin: 'scopeAdmin',
};

export interface KeyRequest {
  readonly label: string;
  readonly scopes: readonly Scope[];
  readonly formError: string | undefined;
}

export function showKeys(context: SignedIn<'keys'>): Promise<Answer> {
  return pageOfKeys(context, 200, {});
}

/** Creates a key; only this page shows its text. */
export async function createKey(context: SignedIn<'keys'>): Promise<Answer> {
  const request = readKeyRequest(context);
  const { label, scopes } = request;
  if (request.formError !== undefined)
    return withLog(await pageOfKeys(context, 422, { request }), { outcome: 'invalid_form' });
  const { account, cause, credential, screen } = context;
  const made = await screen.keys.create({ account, label, scopes, cause, credential });
  if ('text' in made) return await pageOfKeys(context, 200, { made: made.text });
  if (made.code !== 'quota_exceeded') return refuseAnyChange(context, made);
  return withLog(await pageOfKeys(context, 403, {}), { outcome: made.code });
}

export async function revokeKey(context: SignedIn<'keys'>): Promise<Answer> {
  const { request, account: by, cause, base, screen } = context;
  const outcome = await screen.keys.revoke({ id: String(request.params.key), by, cause });
  const back = `${base}/keys`;
  return outcome.kind === 'revoked'
    ? seeOther(back, { tone: 'good', message: 'didRevokeKey' })
    : withLog(seeOther(back, { tone: 'bad', message: 'not_found_key' }), { outcome: 'not_found' });
}

export function readKeyRequest(context: SignedInContext): KeyRequest {
  const label = (fieldOf(context, 'label') ?? '').trim();
  const scopes = fieldsOf(context, 'scope').filter(isScope);
  const tooLong = codePoints(label) > MAX_LABEL_LENGTH || /\p{Cc}/u.test(label);
  const message = tooLong ? 'labelTooLong' : scopes.length === 0 ? 'scopeNeeded' : undefined;
  const formError = message && context.messages.text(message, { limit: MAX_LABEL_LENGTH });
  return { label, scopes, formError };
}

/** Only the command creates keys with the scope `admin`. */
function isScope(text: string): text is Scope {
  return (MEMBER_SCOPES as readonly string[]).includes(text);
}

/** Shows the form for a new key above the list of keys: below up to fifty rows, nobody would see it. */
async function pageOfKeys(
  context: SignedIn<'keys'>,
  status: number,
  { made, request }: { readonly made?: string; readonly request?: KeyRequest },
): Promise<Answer> {
  const { screen, account, messages } = context;
  return await screen.pageTurns.run(account, context.signal, async () => {
    const listed = await screen.keys.list({ by: account, ...pageRequest(context) });
    if (listed.kind === 'refused') return seeOther(`${context.base}/keys`);
    const refusal = await screen.keys.checkLimit(account);
    const title = messages.text('keys');
    const main = html`${heading(title, messages.text('keysIntro'))}
${made && newKey(context, made)}
${card(context, 'createKey', refusal ? html`<p class="error" role="alert">${messages.text('quota_keys', { limit: refusal.limit })}</p>` : keyForm(context, request))}
${listOfKeys(context, listed.keys, listed.next)}`;
    const flash = made === undefined ? {} : { flash: { tone: 'good', message: 'didCreateKey' } as const };
    return page(layout(context, { title, part: 'keys', main, ...flash }), status);
  });
}

function newKey(context: SignedInContext, text: string): Html {
  const { messages } = context;
  return html`<section class="card fresh" aria-labelledby="new-key-title"><h2 id="new-key-title">${messages.text('newKey')}</h2>
<p>${messages.text('shownOnce')}</p>
<div class="url-row"><code class="url" id="new-key">${text}</code>${copyButton(context, text, 'copyKey')}</div></section>`;
}

function keyForm(context: SignedInContext, request: KeyRequest | undefined): Html {
  const { messages, base } = context;
  const content = html`
${keyFields(context, request?.label ?? '', request?.formError)}
<div class="buttons"><button class="primary"${disabledInReadOnly(context)}>${messages.text('createKey')}</button></div>`;
  return fieldForm(context, `${base}/keys`, content);
}

export function keyFields(context: SignedInContext, label: string, error: string | undefined): Html {
  const { messages } = context;
  const scopes = MEMBER_SCOPES.map((scope) => {
    const text = html`${messages.text(SCOPE_MESSAGES[scope])} <code class="quiet">${scope}</code>`;
    return choice('checkbox', 'scope', scope, text, DEFAULT_SCOPES.includes(scope));
  });
  return html`${field(context, 'label', 'labelLabel', { value: label, error })}
${choices(context, 'scopesLegend', scopes)}`;
}

function listOfKeys(context: SignedInContext, keys: readonly ApiKey[], next: string | undefined): Html {
  const { messages, base } = context;
  const nameOf = ({ label }: ApiKey) => (label === '' ? messages.text('unlabelled') : label);
  const revoke = (key: ApiKey) =>
    confirmation(context, 'revoke', `revoke-${key.id}`, `${base}/keys/${key.id}/revoke`, {
      values: { name: nameOf(key) },
    });
  return listOf(context, {
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
          html`<span class="scopes">${scopes.map((scope) => html`<span class="chip">${messages.text(SCOPE_MESSAGES[scope])}</span> `)}</span>`,
      ],
      ['created', ({ createdAt }) => distance(context, createdAt)],
      ['lastUsed', ({ lastUsedAt: at }) => (at === null ? messages.text('never') : distance(context, at))],
      [
        'actions',
        (key) =>
          key.revokedAt === null
            ? revoke(key)
            : html`<span class="state stopped">${messages.text('revoked')} ${distance(context, key.revokedAt)}</span>`,
      ],
    ],
  });
}
