import type { EventActor, EventType, HistoryEvent, RoleId } from '@pinfold/core';
import { type Html, html } from '@pinfold/http/internal';
import type { MessageId } from '../messages/catalogues.ts';
import type { PagePosition } from '../request/page-request.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { layout } from './layout.ts';
import { card, moment, shortId } from './parts.ts';
import { type Column, cell, pager, rowsTable } from './tables.ts';

/** The names of publications and API keys, by id. */
export type EventNames = ReadonlyMap<string, string>;

/** What the page of the history shows. */
export interface HistoryModel {
  readonly events: readonly HistoryEvent[];
  readonly names: EventNames;
  /** The publication that it is narrowed to. */
  readonly pin: RoleId | undefined;
  readonly position: PagePosition;
}

/** What each kind of event is called. */
export const EVENT_NAMES: Readonly<Record<EventType, MessageId>> = {
  'pin.published': 'eventPublished',
  'pin.title_changed': 'eventTitleChanged',
  'pin.password_set': 'eventPasswordSet',
  'pin.password_removed': 'eventPasswordRemoved',
  'pin.renewed': 'eventRenewed',
  'pin.pinned': 'eventPinned',
  'pin.unpinned': 'eventUnpinned',
  'pin.stopped': 'eventStopped',
  'pin.grant_created': 'eventGrantCreated',
  'pin.taken_down': 'eventTakenDown',
  'pin.expired': 'eventExpired',
  'pin.purged': 'eventPurged',
  'key.agreed': 'eventKeyAgreed',
  'key.created': 'eventKeyCreated',
  'key.revoked': 'eventKeyRevoked',
  'account.blocked': 'eventAccountBlocked',
  'account.unblocked': 'eventAccountUnblocked',
  'account.limits_changed': 'eventLimitsChanged',
  'takedown.lifted': 'eventTakedownLifted',
  'service.mode_changed': 'eventModeChanged',
  'session.started': 'eventSessionStarted',
  'session.ended': 'eventSessionEnded',
  'session.refused': 'eventSessionRefused',
  'link.created': 'eventLinkCreated',
  'name.set': 'eventNameSet',
  'name.deleted': 'eventNameDeleted',
};

/** A page of what happened to the account. */
export function historyView(visit: SignedInContext, model: HistoryModel): Html {
  const { words, base } = visit;
  const { events, pin } = model;
  const narrowed =
    pin === undefined
      ? html`<p class="quiet">${words.say('historyIntro')}</p>`
      : html`<p class="quiet">${words.say('historyOf', { name: model.names.get(pin) ?? pin })} <a href="${base}/publications/${pin}">${words.say('publication')}</a> · <a href="${base}/history">${words.say('historyWhole')}</a></p>`;
  const withPins = pin === undefined;
  const columns: readonly Column[] = ['historyWhat', 'historyWhen', 'publication', 'historyBy'];
  const table = rowsTable(
    visit,
    columns.filter((column) => withPins || column !== 'publication'),
    events,
    (event) => row(visit, event, model.names, withPins),
  );
  return layout(visit, {
    title: words.say('history'),
    signedIn: visit,
    part: 'history',
    main: html`<div class="head"><h1>${words.say('history')}</h1>${narrowed}</div>
${events.length === 0 ? html`<p class="none">${words.say('historyNone')}</p>` : table}
${pager(visit, '/history', model.position, { pin }, { first: 'newest', next: 'historyOlder' })}`,
  });
}

/** The latest of what happened to one publication. */
export function historyCard(
  visit: SignedInContext,
  id: string,
  { events, names, next }: Pick<HistoryModel, 'events' | 'names'> & Pick<PagePosition, 'next'>,
): Html {
  const { words, base } = visit;
  const more =
    next === undefined
      ? undefined
      : html`<p><a href="${base}/history?pin=${id}">${words.say('historyWhole')}</a></p>`;
  return card(
    visit,
    'history',
    html`<dl class="brief">${events.map(
      (event) =>
        html`<div><dt>${moment(visit, event.at)}</dt><dd>${words.say(EVENT_NAMES[event.type])} <span class="quiet" dir="auto">${doer(visit, event.actor, names)}</span></dd></div>`,
    )}</dl>${more}`,
  );
}

function row(
  visit: SignedInContext,
  { type, at, pin, actor }: HistoryEvent,
  names: EventNames,
  withPins: boolean,
): Html {
  const { words, base } = visit;
  const publication =
    pin === null
      ? undefined
      : html`<a href="${base}/history?pin=${pin}" class="clip" title="${names.get(pin) ?? pin}" dir="auto">${names.get(pin) ?? shortId(pin)}</a>`;
  return html`<tr><th scope="row">${words.say(EVENT_NAMES[type])}</th>
${cell(visit, 'historyWhen', moment(visit, at))}
${withPins ? cell(visit, 'publication', publication) : undefined}
${cell(visit, 'historyBy', html`<span dir="auto">${doer(visit, actor, names)}</span>`)}</tr>`;
}

/** The name of who did it. */
export function doer(
  { words }: SignedInContext,
  { kind, id }: EventActor,
  names: EventNames = new Map(),
): string {
  switch (kind) {
    case 'key':
      return words.say('actorKey', { id: names.get(id ?? '') ?? id ?? '' });
    case 'person':
      return id ?? '';
    case 'operator':
      return id === null ? words.say('actorOperator') : words.say('actorOperatorNamed', { id });
    case 'system':
      return words.say('actorSystem');
    default:
      return kind satisfies never;
  }
}
