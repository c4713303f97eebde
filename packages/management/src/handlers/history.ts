import { type HistoryEvent, parseRoleId, type RoleId } from '@pinfold/core';
import type { History } from '@pinfold/core/history';
import type { Screen } from '../options.ts';
import { pageRequest, positionOf, present, queryText } from '../request/page-request.ts';
import type { SignedInContext } from '../request/request-context.ts';
import { type Answer, page, seeOther } from '../response/answer.ts';
import { type EventNames, historyView } from '../views/history.ts';

const PAGE_SIZE = 50;

/** Shows a page of the account's history, of one publication where the query names it. */
export async function showHistory(
  screen: Screen & { readonly history: History },
  visit: SignedInContext,
): Promise<Answer> {
  return await screen.pageTurns.run(visit.account, visit.signal, () => historyPage(screen, visit));
}

async function historyPage(
  screen: Screen & { readonly history: History },
  visit: SignedInContext,
): Promise<Answer> {
  const pin = parseRoleId(queryText(visit, 'pin'));
  const asked = pageRequest(visit, PAGE_SIZE);
  const listed = await screen.history.list({ by: visit.account, ...asked, ...present({ pin }) });
  if (listed.kind === 'refused') return seeOther(`${visit.base}/history`);
  return page(
    historyView(visit, {
      events: listed.events,
      names: await namesOf(screen, visit, listed.events),
      pin,
      position: positionOf(asked, listed),
    }),
  );
}

/** The current names of the publications and keys in events of an account. */
export async function namesOf(
  { useCases, keys }: Pick<Screen, 'useCases' | 'keys'>,
  { account: by, signal }: SignedInContext,
  events: readonly HistoryEvent[],
): Promise<EventNames> {
  const pins = new Set(events.map(({ pin }) => pin).filter((pin) => pin !== null));
  const titles = await titlesOf({ useCases }, { account: by, signal }, pins);
  const hasKeys = events.some(({ actor }) => actor.kind === 'key');
  const listed = hasKeys ? await keys?.list({ by, limit: 100 }) : undefined;
  const labels = listed?.kind === 'page' ? listed.keys.map(({ id, label }) => [id, label] as const) : [];
  return new Map<string, string>([...titles, ...labels.filter(([, label]) => label !== '')]);
}

/** The current titles of publications of an account, by id. */
export async function titlesOf(
  { useCases }: Pick<Screen, 'useCases'>,
  { account: by, signal }: Pick<SignedInContext, 'account' | 'signal'>,
  pins: ReadonlySet<RoleId>,
): Promise<ReadonlyMap<string, string>> {
  const titles = [...pins].map(async (id) => {
    const found = await useCases.read({ by, id, signal });
    if (found.kind === 'refused') return [];
    const { title, originalFilename } = found.publication;
    return [[id, title ?? originalFilename] as const];
  });
  return new Map((await Promise.all(titles)).flat());
}
