import type { Instant } from '@pinfold/core';
import { toRfc3339 } from '@pinfold/core/internal';
import { type Html, html } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import type { ShownPublication } from '../publication.ts';
import type { RequestContext } from '../request/request-context.ts';
import { type Icon, icon } from './icons.ts';

const STATES = {
  live: 'statePublished',
  soon: 'stateEndsSoon',
  expired: 'stateExpired',
  stopped: 'stateStopped',
} as const satisfies Partial<Record<Icon, MessageId>>;

export function stateBadge({ messages }: RequestContext, publication: ShownPublication): Html {
  const name = stateName(publication);
  return html`<span class="state ${name}">${icon(name)}${messages.text(STATES[name])}</span>`;
}

function stateName({ state, endsSoon }: ShownPublication): keyof typeof STATES {
  if (state === 'deleted') return 'stopped';
  if (state === 'expired') return 'expired';
  return endsSoon ? 'soon' : 'live';
}

export function marks(
  { messages }: RequestContext,
  { pinned, passwordProtected: locked }: ShownPublication,
): Html {
  const chip = (name: 'pin' | 'lock', message: MessageId) =>
    html`<span class="chip">${icon(name)}${messages.text(message)}</span>`;
  return html`${pinned && chip('pin', 'pinned')}${locked && chip('lock', 'password')}`;
}

/** An instant relative to now, with the exact time in the tooltip. */
export function distance({ messages, now }: RequestContext, at: Instant): Html {
  return html`<time datetime="${toRfc3339(at)}" title="${messages.moment(at)}" data-time>${messages.distance(at, now)}</time>`;
}

/** An exact instant, with its UTC time in the tooltip. */
export function moment({ messages }: RequestContext, at: Instant): Html {
  return html`<time datetime="${toRfc3339(at)}" title="${messages.moment(at, 'UTC')}" data-time="text">${messages.moment(at)}</time>`;
}

/** A button that copies a text to the clipboard; hidden without scripts. */
export function copyButton({ messages }: RequestContext, text: string, label: MessageId): Html {
  return html`<button type="button" class="copy" data-copy="${text}">${icon('copy')}<span>${messages.text(label)}</span></button>`;
}

/** Like `copyButton`, for the link in a row. It refers to the link's element, to keep long lists small. */
export function copyLinkButton({ messages }: RequestContext, row: number): Html {
  return html`<button class="copy" id="c${row}" aria-labelledby="c${row} n${row}" data-copy-from="o${row}">${icon('copy')}<span>${messages.text('copyLink')}</span></button>`;
}

export function shortId(id: string): Html {
  return html`<code title="${id}">${id.slice(0, 8)}</code>`;
}

export function card({ messages }: RequestContext, heading: MessageId, content: Html): Html {
  return html`<section class="card" id="${heading}" aria-labelledby="${heading}-title"><h2 id="${heading}-title">${messages.text(heading)}</h2>
${content}</section>`;
}

export function heading(title: string, more?: Html | string): Html {
  const below = typeof more === 'string' ? html`<p class="quiet">${more}</p>` : more;
  return html`<div class="head"><h1 dir="auto">${title}</h1>${below}</div>`;
}

export function backLink(href: string, text: string): Html {
  return html`<p class="back"><a href="${href}">${text}</a></p>`;
}

export function columns(first: Html, second: Html): Html {
  return html`<div class="columns"><div class="stack">${first}</div>
<div class="stack">${second}</div></div>`;
}
