import type { Name, RoleId } from '@pinfold/core';
import { nameUrl } from '@pinfold/http';
import { type Html, html } from '@pinfold/http/internal';
import { NAME_PATTERN } from '../name-spelling.ts';
import type { ShownPublication } from '../publication.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { confirmation, disabledInReadOnly, type FieldDetails, field, rowForm } from './forms.ts';
import { copyButton, distance, heading, icon, shortId, stateBadge } from './parts.ts';
import { listOf } from './tables.ts';

/**
 * Lists the account's names, each with its publication, the time until that expires, and actions.
 *
 * @param shown the publications that the names show, and showed before.
 */
export function namesMain(
  context: SignedInContext,
  { names: items, next }: { readonly names: readonly Name[]; readonly next?: string | undefined },
  shown: ReadonlyMap<string, ShownPublication>,
): Html {
  const { messages } = context;
  return html`${heading(messages.text('names'), messages.text('namesIntro'))}
${listOf(context, {
  items,
  none: 'namesNone',
  path: '/names',
  next,
  columns: [
    [
      'name',
      (name, n) =>
        html`<a class="name" id="n${n}" title="${name.name}" href="${nameUrl(context.screen.publicUrl, name)}" target="_blank" rel="noopener">${name.name}</a>`,
    ],
    ['publication', ({ pin }) => shownCell(context, pin, shown.get(pin))],
    ['expires', ({ pin }) => endCell(context, shown.get(pin))],
    ['nameMoved', ({ updatedAt }) => distance(context, updatedAt)],
    ['actions', (name, n) => actions(context, name, shown, n)],
  ],
})}
${rowForm(context)}`;
}

function shownCell(context: SignedInContext, pin: RoleId, shown: ShownPublication | undefined): Html {
  const link = html`<a class="clip" href="${context.base}/publications/${pin}" title="${shown?.name ?? pin}" dir="auto">${shown?.name ?? shortId(pin)}</a>`;
  const isLive = shown === undefined || (shown.state === 'published' && !shown.endsSoon);
  return isLive ? link : html`${link} ${stateBadge(context, shown)}`;
}

function endCell(context: SignedInContext, shown: ShownPublication | undefined): Html | string {
  if (shown === undefined || shown.state === 'deleted') return '';
  return shown.expiresAt === null ? context.messages.text('never') : distance(context, shown.expiresAt);
}

function actions(
  context: SignedInContext,
  item: Name,
  publications: ReadonlyMap<string, ShownPublication>,
  n: number,
): Html {
  const { messages, base, screen } = context;
  const { name } = item;
  const shown = publications.get(item.pin);
  const before = item.previous === null ? undefined : publications.get(item.previous);
  const path = `${base}/names/${name}`;
  const disabled = disabledInReadOnly(context);
  const renews = shown?.refusal('reset_expiration') === undefined;
  const renewal = `${base}/publications/${item.pin}/renew`;
  const menu = (
    remove: Html,
  ) => html`<button class="more" id="m${n}" popovertarget="p${n}" aria-label="${messages.text('more')}" aria-labelledby="m${n} n${n}">${icon('more')}</button>
<div id="p${n}" class="menu" popover>${disabled === undefined ? html`<a href="${path}" data-dialog>${messages.dialogLabel('moveName')}</a>` : html`<button type="button"${disabled}>${messages.dialogLabel('moveName')}</button>`}
${before?.state === 'published' && html`<button form="row" formaction="${path}" name="pin" value="${before.id}" title="${before.name}"${disabled}>${messages.text('showBefore')}</button>`}
${renews && html`<button form="row" formaction="${renewal}"${disabled}>${messages.text('renewShort')}</button>`}
${remove}</div>`;
  const details = { values: { name }, disabled, place: menu };
  return html`${copyButton(context, nameUrl(screen.publicUrl, item), 'copyLink')}${confirmation(context, 'deleteName', `delete-${name}`, `${path}/delete`, details)}`;
}

/** A field for an existing or new name. Our script suggests existing names and a valid spelling. */
export function nameField(
  context: SignedInContext,
  id: string,
  { attributes, ...details }: Pick<FieldDetails, 'attributes' | 'button' | 'name'>,
): Html {
  const { messages, base } = context;
  const rule = html`maxlength="63" pattern="${NAME_PATTERN}" title="${messages.text('invalid_name')}"`;
  const offering = html`list="${id}-list" data-names="${base}/names.json"`;
  return html`${field(context, id, 'nameHeading', {
    ...details,
    hint: messages.text('nameHint'),
    hidesLabel: true,
    attributes: html`${rule} ${offering} autocomplete="off" autocapitalize="none" spellcheck="false" ${attributes}`,
  })}<datalist id="${id}-list"></datalist>`;
}
