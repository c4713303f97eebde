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
import { publicationName } from '../publication.ts';
import { pageRequest, present, queryText } from '../request/page-request.ts';
import type { SignedIn, SignedInContext } from '../request/request-context.ts';
import { type Answer, page, seeOther } from '../response/answer.ts';
import { notFound } from '../response/refuse.ts';
import { accountLink, administrationPage } from '../views/administration.ts';
import { layout } from '../views/layout.ts';
import { card, heading, moment, shortId } from '../views/parts.ts';
import { type Column, listOf } from '../views/tables.ts';

export type EventNames = ReadonlyMap<string, string>;

const SHOWN_EVENTS = 10;

export async function showHistory(visit: SignedIn<'history'>): Promise<Answer> {
  const { screen, account, words, base } = visit;
  return await screen.pageTurns.run(account, visit.signal, async () => {
    const pin = parseRoleId(queryText(visit, 'pin'));
    const listed = await screen.history.list({ by: account, ...pageRequest(visit), ...present({ pin }) });
    if (listed.kind === 'refused') return seeOther(`${base}/history`);
    const { events, next } = listed;
    const names = await namesOf(visit, events);
    const narrowed =
      pin === undefined
        ? words.say('historyIntro')
        : html`<p class="quiet">${words.say('historyOf', { name: names.get(pin) ?? pin })} <a href="${base}/publications/${pin}">${words.say('publication')}</a> · <a href="${base}/history">${words.say('historyWhole')}</a></p>`;
    const titleOf = (id: string) => names.get(id) ?? id;
    const ofPublication = publicationColumn(`${base}/history?pin=`, names, titleOf);
    const columns: readonly Column<HistoryEvent>[] = [
      ...whatAndWhen(visit),
      ...(pin === undefined ? [ofPublication] : []),
      ['historyBy', ({ actor }) => html`<span dir="auto">${doer(visit, actor, names)}</span>`],
    ];
    const list = { items: events, columns, none: 'historyNone', path: '/history', next } as const;
    const title = words.say('history');
    const main = html`${heading(title, narrowed)}
${listOf(visit, { ...list, query: { pin } })}`;
    return page(layout(visit, { title, signedIn: visit, part: 'history', main }));
  });
}

export async function showAccountHistory(visit: SignedIn<'administration'>): Promise<Answer> {
  const { screen, words, base } = visit;
  const account = parseAccountId(queryText(visit, 'account'));
  const path = '/administration/history';
  const request = { by: OPERATOR, ...pageRequest(visit), ...present({ account }) };
  const listed = await screen.history?.list(request);
  if (listed === undefined) return notFound(visit);
  if (listed.kind === 'refused') return seeOther(`${base}${path}`);
  const { events, next } = listed;
  const names = await namesOf(visit, events, OPERATOR);
  const columns: readonly Column<HistoryEvent>[] = [
    ...whatAndWhen(visit),
    ['account', (event) => event.account && accountLink(visit, event.account)],
    publicationColumn(`${base}/administration/publications/`, names, (id) => id),
    ['historyBy', ({ actor }) => clipped(doer(visit, actor, names))],
  ];
  const list = { items: events, columns, none: 'historyNone', path, next, query: { account } } as const;
  const main = html`${heading(words.say('history'), account && html`<p>${accountLink(visit, account)}</p>`)}
${listOf(visit, list)}`;
  return page(administrationPage(visit, 'history', main));
}

export async function historyCard(visit: SignedInContext, pin: RoleId): Promise<Html | undefined> {
  const { words, base, screen } = visit;
  const listed = await screen.history?.list({ by: visit.account, pin, limit: SHOWN_EVENTS });
  if (listed?.kind !== 'page') return undefined;
  const { events, next } = listed;
  const names = await namesOf(visit, events);
  const item = ({ at, type, name, actor }: HistoryEvent) =>
    html`<div><dt>${moment(visit, at)}</dt><dd>${words.say(type, { name: name ?? '' })} <span class="quiet" dir="auto">${doer(visit, actor, names)}</span></dd></div>`;
  const more = next && html`<p><a href="${base}/history?pin=${pin}">${words.say('historyWhole')}</a></p>`;
  return card(visit, 'history', html`<dl class="brief">${events.map(item)}</dl>${more}`);
}

function whatAndWhen(visit: SignedInContext): readonly Column<HistoryEvent>[] {
  return [
    ['historyWhat', ({ type, name }) => visit.words.say(type, { name: name ?? '' })],
    ['historyWhen', ({ at }) => moment(visit, at)],
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

function clipped(name: string): Html {
  return html`<span class="clip" title="${name}" dir="auto">${name}</span>`;
}

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

/** The current names of the publications and keys in events, as far as the actor reaches them. */
async function namesOf(
  visit: SignedInContext,
  events: readonly HistoryEvent[],
  by: Actor = visit.account,
): Promise<EventNames> {
  const pins = new Set(events.map(({ pin }) => pin).filter((pin) => pin !== null));
  return new Map([...(await titlesOf(visit, pins, by)), ...(await labelsOf(visit, by, events))]);
}

/** The current labels of the keys that acted, by id, as far as they are among the newest hundred. */
export async function labelsOf(
  { screen: { keys } }: SignedInContext,
  by: Actor,
  acts: readonly { readonly actor: EventActor }[],
): Promise<EventNames> {
  const hasKeys = acts.some(({ actor }) => actor.kind === 'key');
  const listed = hasKeys ? await keys?.list({ by, limit: 100 }) : undefined;
  if (listed?.kind !== 'page') return new Map();
  return new Map(listed.keys.filter(({ label }) => label !== '').map(({ id, label }) => [id, label]));
}

export async function titlesOf(
  { account, signal, screen }: SignedInContext,
  pins: ReadonlySet<RoleId>,
  by: Actor = account,
): Promise<ReadonlyMap<string, string>> {
  const titles = [...pins].map(async (id) => {
    const found = await screen.useCases.read({ by, id, signal });
    if (found.kind === 'refused') return [];
    return [[id, publicationName(found.publication)] as const];
  });
  return new Map((await Promise.all(titles)).flat());
}
