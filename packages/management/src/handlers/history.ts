import { type Actor, type EventActor, type HistoryEvent, parseRoleId, type RoleId } from '@pinfold/core';
import type { Screen, With } from '../options.ts';
import { pageRequest, positionOf, present, queryText } from '../request/page-request.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { type Answer, page, seeOther } from '../response/answer.ts';
import { type EventNames, historyView } from '../views/history.ts';

/** Shows a page of the account's history, of one publication where the query names it. */
export async function showHistory(screen: With<'history'>, visit: SignedInContext): Promise<Answer> {
  return await screen.pageTurns.run(visit.account, visit.signal, async () => {
    const pin = parseRoleId(queryText(visit, 'pin'));
    const asked = pageRequest(visit);
    const listed = await screen.history.list({ by: visit.account, ...asked, ...present({ pin }) });
    if (listed.kind === 'refused') return seeOther(`${visit.base}/history`);
    const { events } = listed;
    const names = await namesOf(screen, visit, events);
    return page(historyView(visit, { events, names, pin, position: positionOf(asked, listed) }));
  });
}

/** The current names of the publications and keys in events, as far as the actor reaches them. */
export async function namesOf(
  screen: Pick<Screen, 'useCases' | 'keys'>,
  visit: SignedInContext,
  events: readonly HistoryEvent[],
  by: Actor = visit.account,
): Promise<EventNames> {
  const pins = new Set(events.map(({ pin }) => pin).filter((pin) => pin !== null));
  const titles = await titlesOf(screen, visit, pins, by);
  return new Map([...titles, ...(await labelsOf(screen, by, events))]);
}

/** The current labels of the keys that acted, by id, as far as they are among the newest hundred. */
export async function labelsOf(
  { keys }: Pick<Screen, 'keys'>,
  by: Actor,
  acts: readonly { readonly actor: EventActor }[],
): Promise<EventNames> {
  const hasKeys = acts.some(({ actor }) => actor.kind === 'key');
  const listed = hasKeys ? await keys?.list({ by, limit: 100 }) : undefined;
  if (listed?.kind !== 'page') return new Map();
  return new Map(listed.keys.filter(({ label }) => label !== '').map(({ id, label }) => [id, label]));
}

export async function titlesOf(
  { useCases }: Pick<Screen, 'useCases'>,
  { account, signal }: SignedInContext,
  pins: ReadonlySet<RoleId>,
  by: Actor = account,
): Promise<ReadonlyMap<string, string>> {
  const titles = [...pins].map(async (id) => {
    const found = await useCases.read({ by, id, signal });
    if (found.kind === 'refused') return [];
    const { title, originalFilename } = found.publication;
    return [[id, title ?? originalFilename] as const];
  });
  return new Map((await Promise.all(titles)).flat());
}
