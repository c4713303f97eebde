import {
  type Actor,
  type EventActor,
  type HistoryEvent,
  OPERATOR,
  parseRoleId,
  type RoleId,
} from '@pinfold/core';
import { parseAccountId } from '@pinfold/core/internal';
import { type Html, html } from '@pinfold/http/internal';
import { shownPublications } from '../publication.ts';
import { omitEmpty, pageRequest, queryText } from '../request/page-request.ts';
import type { SignedIn, SignedInContext } from '../request/request-context.ts';
import { type Answer, page, seeOther } from '../response/answer.ts';
import { notFound } from '../response/refuse.ts';
import { accountLink, administrationPage, layout } from '../views/layout.ts';
import { card, heading, moment, shortId } from '../views/parts.ts';
import { type Column, listOf } from '../views/tables.ts';

type EventNames = ReadonlyMap<string, string>;

const SHOWN_EVENTS = 10;

export async function showHistory(context: SignedIn<'history'>): Promise<Answer> {
  const { screen, account, messages, base } = context;
  return await screen.pageTurns.run(account, context.signal, async () => {
    const pin = parseRoleId(queryText(context, 'pin'));
    const listed = await screen.history.list({ by: account, ...pageRequest(context), ...omitEmpty({ pin }) });
    if (listed.kind === 'refused') return seeOther(`${base}/history`);
    const { events, next } = listed;
    const names = await namesOf(context, events);
    const intro =
      pin === undefined
        ? messages.text('historyIntro')
        : html`<p class="quiet">${messages.text('historyOf', { name: names.get(pin) ?? pin })} <a href="${base}/publications/${pin}">${messages.text('publication')}</a> · <a href="${base}/history">${messages.text('historyWhole')}</a></p>`;
    const titleOf = (id: string) => names.get(id) ?? id;
    const publications = publicationColumn(`${base}/history?pin=`, names, titleOf);
    const columns: readonly Column<HistoryEvent>[] = [
      ...eventColumns(context),
      ...(pin === undefined ? [publications] : []),
      ['historyBy', ({ actor }) => html`<span dir="auto">${actorText(context, actor, names)}</span>`],
    ];
    const list = { items: events, columns, none: 'historyNone', path: '/history', next } as const;
    const title = messages.text('history');
    const main = html`${heading(title, intro)}
${listOf(context, { ...list, query: { pin } })}`;
    return page(layout(context, { title, part: 'history', main }));
  });
}

export async function showAccountHistory(context: SignedIn<'administration'>): Promise<Answer> {
  const { screen, messages, base } = context;
  const account = parseAccountId(queryText(context, 'account'));
  const path = '/administration/history';
  const request = { by: OPERATOR, ...pageRequest(context), ...omitEmpty({ account }) };
  const listed = await screen.history?.list(request);
  if (listed === undefined) return notFound(context);
  if (listed.kind === 'refused') return seeOther(`${base}${path}`);
  const { events, next } = listed;
  const names = await namesOf(context, events, OPERATOR);
  const columns: readonly Column<HistoryEvent>[] = [
    ...eventColumns(context),
    ['account', (event) => event.account && accountLink(context, event.account)],
    publicationColumn(`${base}/administration/publications/`, names, (id) => id),
    [
      'historyBy',
      ({ actor }) => {
        const name = actorText(context, actor, names);
        return html`<span class="clip" title="${name}" dir="auto">${name}</span>`;
      },
    ],
  ];
  const list = { items: events, columns, none: 'historyNone', path, next, query: { account } } as const;
  const main = html`${heading(messages.text('history'), account && html`<p>${accountLink(context, account)}</p>`)}
${listOf(context, list)}`;
  return page(administrationPage(context, 'history', main));
}

export async function historyCard(context: SignedInContext, pin: RoleId): Promise<Html | undefined> {
  const { messages, base, screen } = context;
  const listed = await screen.history?.list({ by: context.account, pin, limit: SHOWN_EVENTS });
  if (listed?.kind !== 'page') return undefined;
  const { events, next } = listed;
  const names = await namesOf(context, events);
  const item = ({ at, type, name, actor }: HistoryEvent) =>
    html`<div><dt>${moment(context, at)}</dt><dd>${messages.text(type, { name: name ?? '' })} <span class="quiet" dir="auto">${actorText(context, actor, names)}</span></dd></div>`;
  const more = next && html`<p><a href="${base}/history?pin=${pin}">${messages.text('historyWhole')}</a></p>`;
  return card(context, 'history', html`<dl class="brief">${events.map(item)}</dl>${more}`);
}

function eventColumns(context: SignedInContext): readonly Column<HistoryEvent>[] {
  return [
    ['historyWhat', ({ type, name }) => context.messages.text(type, { name: name ?? '' })],
    ['historyWhen', ({ at }) => moment(context, at)],
  ];
}

function publicationColumn(
  path: string,
  names: EventNames,
  tooltip: (id: string) => string,
): Column<HistoryEvent> {
  const link = (id: string) =>
    html`<a href="${path}${id}" class="clip" title="${tooltip(id)}" dir="auto">${names.get(id) ?? shortId(id)}</a>`;
  return ['publication', ({ pin }) => pin && link(pin)];
}

export function actorText(
  { messages }: SignedInContext,
  { kind, id }: EventActor,
  names: EventNames = new Map(),
): string {
  switch (kind) {
    case 'key':
      return messages.text('actorKey', { id: names.get(id ?? '') ?? id ?? '' });
    case 'person':
      return id ?? '';
    case 'operator':
      return id === null ? messages.text('actorOperator') : messages.text('actorOperatorNamed', { id });
    case 'system':
      return messages.text('actorSystem');
    default:
      return kind satisfies never;
  }
}

/** The current names of the publications and keys in events that the actor may read. */
async function namesOf(
  context: SignedInContext,
  events: readonly HistoryEvent[],
  by: Actor = context.account,
): Promise<EventNames> {
  const pins = events.flatMap(({ pin }) => pin ?? []);
  const shown = [...(await shownPublications(context, pins, by))].map(
    ([id, { name }]) => [id, name] as const,
  );
  return new Map([...shown, ...(await labelsOf(context, by, events))]);
}

/** The current labels of the keys that acted, by id; only the newest hundred keys are searched. */
export async function labelsOf(
  { screen: { keys } }: SignedInContext,
  by: Actor,
  entries: readonly { readonly actor: EventActor }[],
): Promise<EventNames> {
  const hasKeys = entries.some(({ actor }) => actor.kind === 'key');
  const listed = hasKeys ? await keys?.list({ by, limit: 100 }) : undefined;
  if (listed?.kind !== 'page') return new Map();
  return new Map(listed.keys.filter(({ label }) => label !== '').map(({ id, label }) => [id, label]));
}
