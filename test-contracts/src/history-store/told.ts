import {
  after,
  days,
  type EventQuery,
  type HistoryEvent,
  type LoadedRole,
  type Role,
  type RoleId,
} from '@pinfold/core';
import { anEvent, aPublication, aReservation, leaseOf, loadedRole } from '../fixtures/roles.ts';
import type { HistoryStores } from '../stores.ts';

export const ALL: EventQuery = {
  account: undefined,
  pin: undefined,
  since: undefined,
  after: undefined,
  limit: 100,
};

/** The events that a query gives on its first page. */
export async function told(
  { history }: Pick<HistoryStores, 'history'>,
  query: Partial<EventQuery> = {},
): Promise<readonly HistoryEvent[]> {
  return (await history.list({ ...ALL, ...query })).items;
}

/** The ids of all events, in an order of their own. */
export async function idsTold(stores: Pick<HistoryStores, 'history'>): Promise<readonly string[]> {
  return (await told(stores)).map(({ id }) => id).toSorted();
}

export function idsOf(...events: readonly HistoryEvent[]): readonly string[] {
  return events.map(({ id }) => id).toSorted();
}

/** More pages than any clause keeps events for. */
const MOST_PAGES = 2_000;

/** Walks a query to its end. */
export async function walk(
  { history }: HistoryStores,
  query: Partial<EventQuery>,
  between: () => Promise<void> = async () => {},
): Promise<readonly HistoryEvent[]> {
  const walked: HistoryEvent[] = [];
  let place: EventQuery['after'];
  let pages = 0;
  do {
    const page = await history.list({ ...ALL, ...query, after: place });
    walked.push(...page.items);
    place = page.next;
    pages += 1;
    if (pages > MOST_PAGES) throw new Error('a walk does not end');
    if (place !== undefined) await between();
  } while (place !== undefined);
  return walked;
}

/** Publishes the `n`th role with an event of its own at the same instant. */
export async function publish(
  { roles }: Pick<HistoryStores, 'roles'>,
  n: number,
  more: Partial<Role> = {},
): Promise<{ readonly role: Role; readonly event: HistoryEvent }> {
  const publication = aPublication(n, more);
  const { role } = publication;
  const event = eventFor(role);
  const now = role.publishedAt;
  const request = aReservation(n, { account: role.account, now, until: after(now, days(1)) });
  await roles.reserve(request);
  await roles.commit(publication, leaseOf(request), [event]);
  return { role, event };
}

/** An event of a role, at the instant of its publication unless told otherwise. */
export function eventFor(role: Role, more: Partial<HistoryEvent> = {}): HistoryEvent {
  return anEvent({ account: role.account, pin: role.id, at: role.publishedAt, ...more });
}

/** A role as it is now, with its version. */
export function loaded({ roles }: Pick<HistoryStores, 'roles'>, id: RoleId): Promise<LoadedRole> {
  return loadedRole(roles, id);
}
