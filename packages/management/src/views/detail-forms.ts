import { type Html, html } from '@pinfold/http/internal';
import type { SignedInContext } from '../request/request-context.ts';
import type { DetailModel, FieldTrouble } from './detail.ts';
import { card, confirmation, disabledInReadOnly } from './parts.ts';

/** Sets, changes or removes the password, and says before what that does to viewers. */
export function passwordCard(
  visit: SignedInContext,
  { publication, limits, trouble }: DetailModel,
): Html | undefined {
  if (publication.refusal('set_password') !== undefined) return undefined;
  const { words, base } = visit;
  const { id, generation, passwordProtected: locked } = publication;
  const path = `${base}/publications/${id}/password`;
  const wrong = troubleOf(trouble, 'password');
  const set = html`<form method="post" action="${path}" class="field-form">
<input type="hidden" name="form" value="${visit.formToken}"><input type="hidden" name="seen" value="${generation}">
<div class="field" id="password-field"><label for="new-password">${words.say('newPassword')}</label>
<div class="with-button" data-reveal data-show="${words.say('show')}" data-hide="${words.say('hide')}"><input id="new-password" name="password" type="password" autocomplete="new-password" required aria-describedby="password-hint${wrong === undefined ? '' : ' password-error'}"${invalid(wrong)}></div>
<p class="quiet hint" id="password-hint">${words.say('passwordHint', { characters: limits.passwordMinCharacters, bytes: limits.passwordMaxBytes })}</p>
${fieldError('password', wrong)}</div>
<p class="quiet">${words.say(locked ? 'passwordChangeMeans' : 'passwordSetMeans')}</p>
<div class="buttons"><button${locked ? undefined : html` class="primary"`}${disabledInReadOnly(visit)}>${words.say(locked ? 'changePassword' : 'setPassword')}</button></div>
</form>`;
  const open = wrong === undefined ? undefined : html` open`;
  if (!locked) {
    const content = html`<p>${words.say('noPassword')}</p><details${open}><summary>${words.say('setPasswordEllipsis')}</summary>${set}</details>`;
    return card(visit, 'password', content);
  }
  const fields = html`<input type="hidden" name="seen" value="${generation}"><input type="hidden" name="remove" value="yes">`;
  const disabled = disabledInReadOnly(visit);
  const remove = confirmation(visit, 'removePassword', 'remove-password', path, { fields, disabled });
  const content = html`<p>${words.say('hasPassword')}</p><details${open}><summary>${words.say('changePasswordEllipsis')}</summary>${set}</details>
<p>${remove}</p>`;
  return card(visit, 'password', content);
}

/** Renames, unless another change came first. */
export function titleCard(
  visit: SignedInContext,
  { publication, limits, trouble }: DetailModel,
): Html | undefined {
  if (publication.refusal('set_title') !== undefined) return undefined;
  const { words, base } = visit;
  const { id, title } = publication;
  const wrong = troubleOf(trouble, 'title');
  const content = html`<form method="post" action="${base}/publications/${id}/rename" class="field-form">
<input type="hidden" name="form" value="${visit.formToken}"><input type="hidden" name="seen" value="${title ?? ''}">
<div class="field" id="title-field"><label class="hidden" for="title">${words.say('titleHeading')}</label>
<div class="with-button"><input id="title" name="title" value="${wrong?.value ?? title ?? ''}" autocomplete="off" dir="auto" aria-describedby="title-hint${wrong === undefined ? '' : ' title-error'}"${invalid(wrong)}><button${disabledInReadOnly(visit)}>${words.say('rename')}</button></div>
<p class="quiet hint" id="title-hint">${words.say('titleHint', { characters: limits.titleCharacters })}</p>
${fieldError('title', wrong)}</div>
</form>`;
  return card(visit, 'titleHeading', content);
}

function troubleOf(
  trouble: FieldTrouble | undefined,
  field: FieldTrouble['field'],
): FieldTrouble | undefined {
  return trouble?.field === field ? trouble : undefined;
}

function invalid(wrong: FieldTrouble | undefined): Html | undefined {
  return wrong === undefined ? undefined : html` aria-invalid="true" autofocus`;
}

function fieldError(field: FieldTrouble['field'], wrong: FieldTrouble | undefined): Html | undefined {
  return wrong === undefined ? undefined : html`<p class="error" id="${field}-error">${wrong.message}</p>`;
}
