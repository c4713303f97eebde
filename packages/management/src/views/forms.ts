import { type Html, html } from '@pinfold/http/internal';
import type { Values } from '../i18n.ts';
import type { MessageId } from '../messages/catalogues.ts';
import type { FormContext, RequestContext, SignedInContext } from '../request/request-context.ts';

/** The id of the sentence that explains read-only mode, on every page while it lasts. */
export const READ_ONLY_ID = 'read-only';

/** Attributes that disable a button in read-only mode; Enter then does not send its form either. */
export function disabledInReadOnly({ mode }: SignedInContext): Html | undefined {
  return mode.kind === 'read_only' ? html` disabled aria-describedby="${READ_ONLY_ID}"` : undefined;
}

export function form(context: FormContext, action: string, content: Html, attributes?: Html): Html {
  return html`<form method="post" action="${action}"${attributes}>${tokenField(context)}${content}</form>`;
}

/** The form that all buttons in rows refer to: a form for each row would repeat the token. */
export function rowForm(context: FormContext): Html {
  return html`<form id="row" method="post">${tokenField(context)}</form>`;
}

function tokenField({ formToken }: FormContext): Html {
  return hidden('form', formToken.masked);
}

export function fieldForm(context: FormContext, action: string, content: Html): Html {
  return form(context, action, content, html` class="field-form"`);
}

export function hidden(name: string, value: string | number): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`;
}

export function buttonForm(context: SignedInContext, action: string, label: string, disabled?: Html): Html {
  return form(context, action, html`<button${disabled}>${label}</button>`);
}

export interface FieldDetails {
  readonly name?: string | undefined;
  readonly value?: string;
  readonly hint?: string;
  readonly error?: string | undefined;
  /** The id of another text that describes the field. */
  readonly describedBy?: string | undefined;
  readonly attributes?: Html | undefined;
  /** Hides the text, with a button that shows it. */
  readonly isSecret?: boolean;
  /** Shows the label to screen readers only. */
  readonly hidesLabel?: boolean;
  readonly button?: Html;
}

/** An input with its label, and below it a hint and an error. */
export function field(
  { messages }: RequestContext,
  id: string,
  label: MessageId,
  details: FieldDetails = {},
): Html {
  const { name = id, value, hint, error, describedBy, attributes, isSecret, hidesLabel, button } = details;
  const texts = [describedBy, hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  const kind = isSecret ? html` type="password"` : value !== undefined && html` value="${value}" dir="auto"`;
  const described = texts !== '' && html` aria-describedby="${texts}"`;
  const invalid = error && html` aria-invalid="true" autofocus`;
  const input = html`<input id="${id}"${name && html` name="${name}"`}${kind} ${attributes ?? html`autocomplete="off"`}${described}${invalid}>`;
  const reveal =
    isSecret && html` data-reveal data-show="${messages.text('show')}" data-hide="${messages.text('hide')}"`;
  const isAlone = button === undefined && !isSecret;
  return html`<div class="field"><label${hidesLabel && html` class="hidden"`} for="${id}">${messages.text(label)}</label>
${isAlone ? input : html`<div class="with-button"${reveal}>${input}${button}</div>`}
${hint && html`<p class="quiet hint" id="${id}-hint">${hint}</p>`}
${error && html`<p class="error" id="${id}-error">${error}</p>`}</div>`;
}

export function choice(
  type: 'checkbox' | 'radio',
  name: string,
  value: string,
  text: Html | string,
  isChecked: boolean = false,
): Html {
  return html`<label class="check"><input type="${type}" name="${name}" value="${value}"${isChecked && html` checked`}> <span>${text}</span></label>`;
}

export function choices({ messages }: RequestContext, legend: MessageId, all: readonly Html[]): Html {
  return html`<fieldset><legend>${messages.text(legend)}</legend>${all}</fieldset>`;
}

export function reasonField(context: SignedInContext): Html {
  const attributes = html`required maxlength="510" autocomplete="off"`;
  return field(context, 'reason', 'reason', {
    hint: context.messages.text('reasonHint'),
    value: '',
    attributes,
  });
}

/** The link to the page that confirms stopping a publication. */
export function stopLink(context: SignedInContext, style: 'button' | '', href: string): Html {
  const disabled = disabledInReadOnly(context);
  const text = context.messages.dialogLabel('stop');
  return disabled === undefined
    ? html`<a class="${style}${style && ' '}bad" href="${href}" data-dialog>${text}</a>`
    : html`<button type="button" class="${style}${style && ' '}bad"${disabled}>${text}</button>`;
}

/** Actions that need confirmation. Each has three messages: `Name` for the button, `NameTitle` and `NameMeans`. */
type Confirmed = {
  [Id in MessageId]: `${Id}Means` | `${Id}Title` extends MessageId ? Id : never;
}[MessageId];

interface ConfirmationDetails {
  /** Values in the dialog's title. */
  readonly values?: Values;
  readonly fields?: Html;
  /** Attributes that disable its buttons. */
  readonly disabled?: Html | undefined;
  /** Puts the button that opens the dialog into other markup, such as a menu. */
  readonly place?: (button: Html) => Html;
}

/** A button that opens a dialog to confirm an action; it needs no script. */
export function confirmation(
  context: SignedInContext,
  name: Confirmed,
  id: string,
  action: string,
  { values, fields, disabled, place = (button) => button }: ConfirmationDetails = {},
): Html {
  const { messages } = context;
  const content = html`
<h2 id="${id}-title">${messages.text(`${name}Title`, values)}</h2>
<p>${messages.text(`${name}Means`)}</p>${fields}
<div class="buttons end"><button type="button" popovertarget="${id}" popovertargetaction="hide" autofocus>${messages.text('cancel')}</button><button class="danger"${disabled}>${messages.text(name)}</button></div>`;
  const opener = html`<button type="button" class="bad" popovertarget="${id}"${disabled}>${messages.dialogLabel(name)}</button>`;
  return html`${place(opener)}
<div id="${id}" class="confirm" popover role="dialog" aria-labelledby="${id}-title">${fieldForm(context, action, content)}</div>`;
}
