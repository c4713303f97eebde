import type { HistoryEvent } from '@pinfold/core';
import { type Html, html } from '@pinfold/http/internal';
import type { PagePosition } from '../request/page-request.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { accountLink, administrationPage } from './administration.ts';
import { doer, EVENT_NAMES, type EventNames } from './history.ts';
import { moment, shortId } from './parts.ts';
import { cell, pager, rowsTable } from './tables.ts';

/** What the history of all accounts shows. */
export interface AccountHistoryModel {
  readonly events: readonly HistoryEvent[];
  readonly names: EventNames;
  /** The account that it is narrowed to. */
  readonly account: string | undefined;
  readonly position: PagePosition;
}

/** What happened to all accounts, or to one, and who did it. */
export function accountHistoryView(visit: SignedInContext, model: AccountHistoryModel): Html {
  const { words } = visit;
  const { events, names, account } = model;
  const columns = ['historyWhat', 'historyWhen', 'account', 'publication', 'historyBy'] as const;
  const table = rowsTable(visit, columns, events, (event) => row(visit, event, names));
  return administrationPage(visit, {
    part: 'history',
    title: words.say('history'),
    main: html`<div class="head"><h1>${words.say('history')}</h1>${account === undefined ? undefined : html`<p>${accountLink(visit, account)}</p>`}</div>
${events.length === 0 ? html`<p class="none">${words.say('historyNone')}</p>` : table}
${pager(visit, '/administration/history', model.position, { account })}`,
  });
}

function row(
  visit: SignedInContext,
  { type, at, account, pin, actor }: HistoryEvent,
  names: EventNames,
): Html {
  const { words, base } = visit;
  const publication =
    pin === null
      ? undefined
      : html`<a href="${base}/administration/publications/${pin}" class="clip" title="${pin}" dir="auto">${names.get(pin) ?? shortId(pin)}</a>`;
  return html`<tr><th scope="row">${words.say(EVENT_NAMES[type])}</th>
${cell(visit, 'historyWhen', moment(visit, at))}
${cell(visit, 'account', account === null ? undefined : accountLink(visit, account))}
${cell(visit, 'publication', publication)}
${cell(visit, 'historyBy', html`<span class="clip" title="${doer(visit, actor, names)}" dir="auto">${doer(visit, actor, names)}</span>`)}</tr>`;
}
