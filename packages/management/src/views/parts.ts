import type { Instant } from '@pinfold/core';
import { toRfc3339 } from '@pinfold/core/internal';
import { type Html, html } from '@pinfold/http/internal';
import type { Values } from '../i18n.ts';
import type { MessageId } from '../messages/catalogues.ts';
import type { ShownPublication } from '../publication.ts';
import type { RequestContext, SignedInContext } from '../request/request-context.ts';
import { type Icon, icon } from './icons.ts';

const STATES: Readonly<
  Record<'live' | 'soon' | 'expired' | 'stopped', { readonly icon: Icon; readonly message: MessageId }>
> = {
  live: { icon: 'live', message: 'statePublished' },
  soon: { icon: 'soon', message: 'stateEndsSoon' },
  expired: { icon: 'expired', message: 'stateExpired' },
  stopped: { icon: 'stopped', message: 'stateStopped' },
};

/** The state of a publication: a word, a shape and a colour. */
export function stateBadge({ words }: RequestContext, publication: ShownPublication): Html {
  const name = stateName(publication);
  const state = STATES[name];
  return html`<span class="state ${name}">${icon(state.icon)}${words.say(state.message)}</span>`;
}

function stateName({ state, endsSoon }: ShownPublication): keyof typeof STATES {
  if (state === 'deleted') return 'stopped';
  if (state === 'expired') return 'expired';
  return endsSoon ? 'soon' : 'live';
}

/** What else is worth knowing at a glance: pinned, protected. */
export function marks(
  { words }: RequestContext,
  { pinned, passwordProtected: locked }: ShownPublication,
): Html {
  return html`${pinned ? html`<span class="chip">${icon('pin')}${words.say('pinned')}</span>` : undefined}${
    locked ? html`<span class="chip">${icon('lock')}${words.say('password')}</span>` : undefined
  }`;
}

/** An instant as a distance from now, with the exact time in the tooltip. */
export function distance({ words, now }: RequestContext, at: Instant): Html {
  return html`<time datetime="${toRfc3339(at)}" title="${words.moment(at)}" data-time="title">${words.distance(at, now)}</time>`;
}

/** An exact instant, in UTC in the tooltip. */
export function moment({ words }: RequestContext, at: Instant): Html {
  return html`<time datetime="${toRfc3339(at)}" title="${words.moment(at, 'UTC')}" data-time="text">${words.moment(at)}</time>`;
}

/** A button that puts a text on the clipboard; there only where scripts run. */
export function copyButton({ words }: RequestContext, text: string, label: MessageId): Html {
  return html`<button type="button" class="copy" data-copy="${text}">${icon('copy')}<span>${words.say(label)}</span></button>`;
}

/** The same for the link of a row of the list, which names it. Lists are long, so it repeats nothing. */
export function copyLinkButton({ words }: RequestContext, row: number): Html {
  return html`<button class="copy" id="c${row}" aria-labelledby="c${row} n${row}" data-copy-from="o${row}">${icon('copy')}<span>${words.say('copyLink')}</span></button>`;
}

/** The id of the sentence that says why nothing can be changed. Every page has it while the service is read-only. */
export const READ_ONLY_ID = 'read-only';

/** Attributes of the buttons whose action a read-only service refuses. With its button disabled, Enter does not send a form. */
export function disabledInReadOnly({ mode }: SignedInContext): Html | undefined {
  return mode.kind === 'read_only' ? html` disabled aria-describedby="${READ_ONLY_ID}"` : undefined;
}

export function buttonForm(visit: SignedInContext, action: string, label: string, disabled?: Html): Html {
  return html`<form method="post" action="${action}"><input type="hidden" name="form" value="${visit.formToken}"><button${disabled}>${label}</button></form>`;
}

/** The link to the page that asks before a publication is stopped. */
export function stopLink(visit: SignedInContext, style: 'button' | 'item', href: string): Html {
  const disabled = disabledInReadOnly(visit);
  const text = visit.words.say('stopEllipsis');
  return disabled === undefined
    ? html`<a class="${style} bad" href="${href}" data-dialog>${text}</a>`
    : html`<button type="button" class="${style} bad"${disabled}>${text}</button>`;
}

/** The first eight digits of an id, the whole on hover. */
export function shortId(id: string): Html {
  return html`<code title="${id}">${id.slice(0, 8)}</code>`;
}

/** A part of a page under its own heading, which is its anchor too. */
export function card({ words }: RequestContext, heading: MessageId, content: Html): Html {
  return html`<section class="card" id="${heading}" aria-labelledby="${heading}-title"><h2 id="${heading}-title">${words.say(heading)}</h2>
${content}</section>`;
}

export function reasonField({ words }: SignedInContext): Html {
  return html`<div class="field"><label for="reason">${words.say('reason')}</label>
<input id="reason" name="reason" required maxlength="510" autocomplete="off" dir="auto" aria-describedby="reason-hint">
<p class="quiet hint" id="reason-hint">${words.say('reasonHint')}</p></div>`;
}

/** What asks for confirmation: messages of each name say how it is asked for, what it does, and what is pressed. */
export type Confirmed =
  | 'block'
  | 'deleteName'
  | 'endSession'
  | 'endSessions'
  | 'lift'
  | 'removePassword'
  | 'revoke'
  | 'takeDown';

/** A button that opens a dialog to confirm an action; it needs no script. */
export function confirmation(
  { words, formToken }: SignedInContext,
  name: Confirmed,
  id: string,
  action: string,
  { values, fields, disabled }: ConfirmationDetails = {},
): Html {
  return html`<button type="button" class="bad" popovertarget="${id}"${disabled}>${words.say(`${name}Ellipsis`)}</button>
<div id="${id}" class="confirm" popover role="dialog" aria-labelledby="${id}-title"><form method="post" action="${action}" class="field-form"><input type="hidden" name="form" value="${formToken}">
<h2 id="${id}-title">${words.say(`${name}Title`, values)}</h2>
<p>${words.say(`${name}Means`)}</p>${fields}
<div class="buttons end"><button type="button" popovertarget="${id}" popovertargetaction="hide" autofocus>${words.say('cancel')}</button><button class="danger"${disabled}>${words.say(name)}</button></div></form></div>`;
}

export interface ConfirmationDetails {
  /** Of the dialog's title. */
  readonly values?: Values;
  readonly fields?: Html;
  /** Attributes of its buttons, where the action is refused now. */
  readonly disabled?: Html | undefined;
}
