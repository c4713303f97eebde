import type { Instant } from '@pinfold/core';
import { toRfc3339 } from '@pinfold/core/internal';
import { type Html, html, raw } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import type { ShownPublication } from '../publication.ts';
import type { RequestContext } from '../request/request-context.ts';

const STATES = {
  live: 'statePublished',
  soon: 'stateEndsSoon',
  expired: 'stateExpired',
  stopped: 'stateStopped',
} as const satisfies Partial<Record<Icon, MessageId>>;

/** The icons, drawn on a grid of 16 with one stroke. Each stands beside a word, so it is hidden from screen readers. */
const ICON_PATHS = {
  pin: '<path d="M9.5 1.8 14.2 6.5 12.6 7.4 9.9 10.1 9.6 13.2 2.8 6.4 5.9 6.1 8.6 3.4z"/><path d="M6 10 2 14"/>',
  lock: '<rect x="3" y="7" width="10" height="7" rx="1.5"/><path d="M5.2 7V4.8a2.8 2.8 0 0 1 5.6 0V7"/>',
  live: '<circle cx="8" cy="8" r="6"/><path d="m5.2 8.2 2 2 3.6-4"/>',
  soon: '<circle cx="8" cy="8" r="6"/><path d="M8 4.6V8l2.3 1.6"/>',
  expired: '<circle cx="8" cy="8" r="6" stroke-dasharray="2.4 2.3"/><path d="M5 8h6"/>',
  stopped: '<rect x="2.5" y="2.5" width="11" height="11" rx="2"/><path d="m5.7 5.7 4.6 4.6m0-4.6-4.6 4.6"/>',
  copy: '<rect x="5.5" y="5.5" width="8" height="8.5" rx="1.5"/><path d="M10.5 3.2V3A1.5 1.5 0 0 0 9 1.5H4A1.5 1.5 0 0 0 2.5 3v6.5A1.5 1.5 0 0 0 4 11"/>',
  menu: '<path d="M2 4h12M2 8h12M2 12h12"/>',
  more: '<circle cx="3" cy="8" r=".9"/><circle cx="8" cy="8" r=".9"/><circle cx="13" cy="8" r=".9"/>',
  folder:
    '<path d="M1.8 4.2A1.2 1.2 0 0 1 3 3h3l1.6 2H13a1.2 1.2 0 0 1 1.2 1.2v5.6A1.2 1.2 0 0 1 13 13H3a1.2 1.2 0 0 1-1.2-1.2z"/>',
  archive:
    '<rect x="3" y="1.8" width="10" height="12.4" rx="1.5"/><path d="M8 2v1.4M8 5v1.4M8 8v1m-1 0h2v2.2H7z"/>',
  search: '<circle cx="7" cy="7" r="4.5"/><path d="m10.5 10.5 3.5 3.5"/>',
  good: '<circle cx="8" cy="8" r="6"/><path d="m5.2 8.2 2 2 3.6-4"/>',
  bad: '<path d="M8 1.8 15 14H1z"/><path d="M8 6v3.6m0 1.8v.2"/>',
} as const;

type Icon = keyof typeof ICON_PATHS;

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

export function iconSheet(): Html {
  const symbols = Object.entries(ICON_PATHS).map(
    ([name, path]) => html`<symbol id="i-${name}" viewBox="0 0 16 16">${raw(path)}</symbol>`,
  );
  return html`<svg class="hidden" aria-hidden="true">${symbols}</svg>`;
}

export function icon(name: Icon): Html {
  return html`<svg class="icon" aria-hidden="true"><use href="#i-${name}"/></svg>`;
}
