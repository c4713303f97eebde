import type { AccountId, EventActor, HistoryEvent, RoleId } from '@pinfold/core';
import { type Html, html } from '@pinfold/http/internal';
import type { PagePosition } from '../request/page-request.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { accountLink, administrationPage } from './administration.ts';
import { layout } from './layout.ts';
import { card, moment, shortId } from './parts.ts';
import { type Column, cell, pager, rowsTable } from './tables.ts';

/** The names of publications and API keys, by id. */
export type EventNames = ReadonlyMap<string, string>;

/** What the page of the history shows. */
export interface HistoryModel {
  readonly events: readonly HistoryEvent[];
  readonly names: EventNames;
  /** The publication or account that it is narrowed to. */
  readonly pin?: RoleId | undefined;
  readonly account?: AccountId | undefined;
  readonly position: PagePosition;
}

/** A page of what happened to the account. */
export function historyView(visit: SignedInContext, model: HistoryModel): Html {
  const { words, base } = visit;
  const { events, pin } = model;
  const narrowed =
    pin === undefined
      ? html`<p class="quiet">${words.say('historyIntro')}</p>`
      : html`<p class="quiet">${words.say('historyOf', { name: model.names.get(pin) ?? pin })} <a href="${base}/publications/${pin}">${words.say('publication')}</a> · <a href="${base}/history">${words.say('historyWhole')}</a></p>`;
  const columns: readonly Column[] = ['historyWhat', 'historyWhen', 'publication', 'historyBy'];
  const path = pin === undefined ? `${base}/history?pin=` : undefined;
  const table = rowsTable(
    visit,
    columns.filter((column) => path !== undefined || column !== 'publication'),
    events,
    (event) => row(visit, event, model.names, path),
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

/** What happened to all accounts, or to one, and who did it. */
export function accountHistoryView(visit: SignedInContext, model: HistoryModel): Html {
  const { words, base } = visit;
  const { events, names, account, position } = model;
  const columns = ['historyWhat', 'historyWhen', 'account', 'publication', 'historyBy'] as const;
  const path = `${base}/administration/publications/`;
  const table = rowsTable(visit, columns, events, (event) => row(visit, event, names, path, true));
  return administrationPage(visit, {
    part: 'history',
    title: words.say('history'),
    main: html`<div class="head"><h1>${words.say('history')}</h1>${account && html`<p>${accountLink(visit, account)}</p>`}</div>
${events.length === 0 ? html`<p class="none">${words.say('historyNone')}</p>` : table}
${pager(visit, '/administration/history', position, { account })}`,
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
  const content = html`<dl class="brief">${events.map(
    (event) =>
      html`<div><dt>${moment(visit, event.at)}</dt><dd>${words.say(event.type)} <span class="quiet" dir="auto">${doer(visit, event.actor, names)}</span></dd></div>`,
  )}</dl>${more}`;
  return card(visit, 'history', content);
}

/** @param path what links to publications begin with; absent, the row has none. */
function row(
  visit: SignedInContext,
  { type, at, account, pin, actor }: HistoryEvent,
  names: EventNames,
  path: string | undefined,
  ofAll = false,
): Html {
  const publication =
    pin &&
    html`<a href="${path}${pin}" class="clip" title="${(ofAll ? undefined : names.get(pin)) ?? pin}" dir="auto">${names.get(pin) ?? shortId(pin)}</a>`;
  const name = doer(visit, actor, names);
  return html`<tr><th scope="row">${visit.words.say(type)}</th>
${cell(visit, 'historyWhen', moment(visit, at))}
${ofAll ? cell(visit, 'account', account && accountLink(visit, account)) : undefined}
${path === undefined ? undefined : cell(visit, 'publication', publication)}
${cell(visit, 'historyBy', html`<span${ofAll ? html` class="clip" title="${name}"` : undefined} dir="auto">${name}</span>`)}</tr>`;
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
