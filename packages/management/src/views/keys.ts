import { type ApiKey, DEFAULT_SCOPES, MEMBER_SCOPES, type Scope } from '@pinfold/core';
import { type Html, html } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import type { PagePosition } from '../request/page-request.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { layout } from './layout.ts';
import { card, confirmation, copyButton, disabledInReadOnly, distance } from './parts.ts';
import { cell, pager, rowsTable } from './tables.ts';

export interface KeysModel {
  readonly keys: readonly ApiKey[];
  readonly position: PagePosition;
  /** Why no further key can be made, where the account has as many as it may have. */
  readonly full: string | undefined;
  /** The text of a key just made. */
  readonly made?: string;
  readonly trouble?: { readonly message: string; readonly label: string };
}

const SCOPE_MESSAGES: Readonly<Record<Scope, MessageId>> = {
  'pins:read': 'scopeRead',
  'pins:write': 'scopeWrite',
  manage: 'scopeManage',
  admin: 'scopeAdmin',
};

/** A form for a new key, and below it a page of the account's keys: up to fifty rows would hide the form. */
export function keysView(visit: SignedInContext, model: KeysModel): Html {
  const { keys, made } = model;
  const { words } = visit;
  return layout(visit, {
    title: words.say('keys'),
    signedIn: visit,
    part: 'keys',
    ...(made === undefined ? {} : { flash: { tone: 'good', message: 'didCreateKey' } }),
    main: html`<div class="head"><h1>${words.say('keys')}</h1><p class="quiet">${words.say('keysIntro')}</p></div>
${made === undefined ? undefined : newKey(visit, made)}
${createCard(visit, model)}
${
  keys.length === 0
    ? undefined
    : rowsTable(visit, ['label', 'scopes', 'created', 'lastUsed', 'actions'], keys, (key) => row(visit, key))
}
${pager(visit, '/keys', model.position)}`,
  });
}

function newKey(visit: SignedInContext, text: string): Html {
  const { words } = visit;
  return html`<section class="card fresh" aria-labelledby="new-key-title"><h2 id="new-key-title">${words.say('newKey')}</h2>
<p>${words.say('shownOnce')}</p>
<div class="url-row"><code class="url" id="new-key">${text}</code>${copyButton(visit, text, 'copyKey')}</div></section>`;
}

function row(visit: SignedInContext, key: ApiKey): Html {
  const { words, base } = visit;
  const name = key.label === '' ? words.say('unlabelled') : key.label;
  const action = `${base}/keys/${key.id}/revoke`;
  const revoke = confirmation(visit, 'revoke', `revoke-${key.id}`, action, { values: { name } });
  return html`<tr class="${key.revokedAt === null ? '' : 'over'}">
<th scope="row"><span class="name" dir="auto" title="${name}">${name}</span><span class="marks"><code class="quiet">pf_${key.id}_…</code></span></th>
${cell(visit, 'scopes', html`<span class="scopes">${key.scopes.map((scope) => html`<span class="chip">${words.say(SCOPE_MESSAGES[scope])}</span> `)}</span>`)}
${cell(visit, 'created', distance(visit, key.createdAt))}
${cell(visit, 'lastUsed', key.lastUsedAt === null ? words.say('never') : distance(visit, key.lastUsedAt))}
<td class="actions">${key.revokedAt === null ? revoke : html`<span class="state stopped">${words.say('revoked')} ${distance(visit, key.revokedAt)}</span>`}</td></tr>`;
}

function createCard(visit: SignedInContext, { full, trouble }: KeysModel): Html {
  const { words, base } = visit;
  if (full !== undefined) return card(visit, 'createKey', html`<p class="error" role="alert">${full}</p>`);
  const content = html`<form method="post" action="${base}/keys" class="field-form">
<input type="hidden" name="form" value="${visit.formToken}">
${keyFields(visit, trouble?.label ?? '', trouble?.message)}
<div class="buttons"><button class="primary"${disabledInReadOnly(visit)}>${words.say('createKey')}</button></div></form>`;
  return card(visit, 'createKey', content);
}

/** What is to be said of a new key: what it is for, and what it may do. */
export function keyFields({ words }: SignedInContext, label: string, trouble: string | undefined): Html {
  const wrong =
    trouble === undefined ? undefined : html` aria-invalid="true" aria-describedby="label-error" autofocus`;
  return html`<div class="field"><label for="label">${words.say('labelLabel')}</label><input id="label" name="label" autocomplete="off" dir="auto" value="${label}"${wrong}>
${trouble === undefined ? undefined : html`<p class="error" id="label-error">${trouble}</p>`}</div>
<fieldset><legend>${words.say('scopesLegend')}</legend>${MEMBER_SCOPES.map((scope) => {
    const checked = DEFAULT_SCOPES.includes(scope) ? html` checked` : undefined;
    return html`<label class="check"><input type="checkbox" name="scope" value="${scope}"${checked}> <span>${words.say(SCOPE_MESSAGES[scope])} <code class="quiet">${scope}</code></span></label>`;
  })}</fieldset>`;
}
