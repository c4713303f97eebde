import type { Limits } from '@pinfold/core';
import { type Html, html } from '@pinfold/http/internal';
import type { ShownPublication } from '../publication.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { confirmation, disabledInReadOnly, field, fieldForm, hidden } from './forms.ts';
import { card } from './parts.ts';

export interface FieldTrouble {
  readonly field: 'title' | 'new-password';
  readonly message: string;
  /** Shown again; never of a password. */
  readonly value?: string;
}

/** Sets, changes or removes the password, and says before what that does to viewers. */
export function passwordCard(
  visit: SignedInContext,
  publication: ShownPublication,
  limits: Limits,
  trouble: FieldTrouble | undefined,
): Html | undefined {
  if (publication.refusal('set_password') !== undefined) return undefined;
  const { words, base } = visit;
  const { id, generation, passwordProtected: locked } = publication;
  const path = `${base}/publications/${id}/password`;
  const wrong = trouble?.field === 'new-password' ? trouble.message : undefined;
  const [action, means] = locked
    ? (['changePassword', 'passwordChangeMeans'] as const)
    : (['setPassword', 'passwordSetMeans'] as const);
  const seen = hidden('seen', generation);
  const disabled = disabledInReadOnly(visit);
  const set = html`${seen}
${field(visit, 'new-password', 'newPassword', {
  name: 'password',
  isSecret: true,
  hint: words.say('passwordHint', {
    characters: limits.passwordMinCharacters,
    bytes: limits.passwordMaxBytes,
  }),
  error: wrong,
  attributes: html`autocomplete="new-password" required`,
})}
<p class="quiet">${words.say(means)}</p>
<div class="buttons"><button${!locked && html` class="primary"`}${disabled}>${words.say(action)}</button></div>`;
  const fields = html`${seen}${hidden('remove', 'yes')}`;
  const content = html`<p>${words.say(locked ? 'hasPassword' : 'noPassword')}</p><details${wrong && html` open`}><summary>${words.more(action)}</summary>${fieldForm(visit, path, set)}</details>
${locked && html`<p>${confirmation(visit, 'removePassword', 'remove-password', path, { fields, disabled })}</p>`}`;
  return card(visit, 'password', content);
}

export function titleCard(
  visit: SignedInContext,
  { id, title, refusal }: ShownPublication,
  limits: Limits,
  trouble: FieldTrouble | undefined,
): Html | undefined {
  if (refusal('set_title') !== undefined) return undefined;
  const { words, base } = visit;
  const wrong = trouble?.field === 'title' ? trouble : undefined;
  const content = html`${hidden('seen', title ?? '')}
${field(visit, 'title', 'titleHeading', {
  value: wrong?.value ?? title ?? '',
  hidesLabel: true,
  hint: words.say('titleHint', { characters: limits.titleCharacters }),
  error: wrong?.message,
  button: html`<button${disabledInReadOnly(visit)}>${words.say('rename')}</button>`,
})}`;
  return card(visit, 'titleHeading', fieldForm(visit, `${base}/publications/${id}/rename`, content));
}
