import type { Limits } from '@pinfold/core';
import { type Html, html } from '@pinfold/http/internal';
import type { ShownPublication } from '../publication.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { confirmation, disabledInReadOnly, field, fieldForm, hidden } from './forms.ts';
import { card } from './parts.ts';

export interface FieldError {
  readonly field: 'title' | 'new-password';
  readonly message: string;
  /** The entered value, to be shown again; never a password. */
  readonly value?: string;
}

/** The forms that set, change or remove the password, with the effects on viewers. */
export function passwordCard(
  context: SignedInContext,
  publication: ShownPublication,
  limits: Limits,
  formError: FieldError | undefined,
): Html | undefined {
  if (publication.refusal('set_password') !== undefined) return undefined;
  const { messages, base } = context;
  const { id, generation, passwordProtected: locked } = publication;
  const path = `${base}/publications/${id}/password`;
  const wrong = formError?.field === 'new-password' ? formError.message : undefined;
  const [action, meaning] = locked
    ? (['changePassword', 'passwordChangeMeans'] as const)
    : (['setPassword', 'passwordSetMeans'] as const);
  const seen = hidden('seen', generation);
  const disabled = disabledInReadOnly(context);
  const set = html`${seen}
${field(context, 'new-password', 'newPassword', {
  name: 'password',
  isSecret: true,
  hint: messages.text('passwordHint', {
    characters: limits.passwordMinCharacters,
    bytes: limits.passwordMaxBytes,
  }),
  error: wrong,
  attributes: html`autocomplete="new-password" required`,
})}
<p class="quiet">${messages.text(meaning)}</p>
<div class="buttons"><button${!locked && html` class="primary"`}${disabled}>${messages.text(action)}</button></div>`;
  const fields = html`${seen}${hidden('remove', 'yes')}`;
  const content = html`<p>${messages.text(locked ? 'hasPassword' : 'noPassword')}</p><details${wrong && html` open`}><summary>${messages.dialogLabel(action)}</summary>${fieldForm(context, path, set)}</details>
${locked && html`<p>${confirmation(context, 'removePassword', 'remove-password', path, { fields, disabled })}</p>`}`;
  return card(context, 'password', content);
}

export function titleCard(
  context: SignedInContext,
  { id, title, refusal }: ShownPublication,
  limits: Limits,
  formError: FieldError | undefined,
): Html | undefined {
  if (refusal('set_title') !== undefined) return undefined;
  const { messages, base } = context;
  const wrong = formError?.field === 'title' ? formError : undefined;
  const content = html`${hidden('seen', title ?? '')}
${field(context, 'title', 'titleHeading', {
  value: wrong?.value ?? title ?? '',
  hidesLabel: true,
  hint: messages.text('titleHint', { characters: limits.titleCharacters }),
  error: wrong?.message,
  button: html`<button${disabledInReadOnly(context)}>${messages.text('rename')}</button>`,
})}`;
  return card(context, 'titleHeading', fieldForm(context, `${base}/publications/${id}/rename`, content));
}
