import { type Html, html } from '@pinfold/http/internal';
import { NAME_PATTERN } from '../name-spelling.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { type FieldDetails, field } from './forms.ts';

/** A field for one of the account's names or a new one. Our script offers those there are, and a spelling that fits. */
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
