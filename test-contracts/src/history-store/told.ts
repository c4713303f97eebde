import {
  after,
  days,
  type EventCursor,
  type EventQuery,
  type HistoryEvent,
  type LoadedRole,
  type Role,
  type RoleId,
} from '@pinfold/core';
import { anEvent, aPublication, aReservation, leaseOf, loadedRole } from '../fixtures/roles.ts';
import type { HistoryStores } from '../stores.ts';
import { walkPages } from '../walk.ts';

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

export async function walk(
  { history }: Pick<HistoryStores, 'history'>,
  query: Partial<EventQuery> = {},
  between?: () => Promise<void>,
): Promise<readonly HistoryEvent[]> {
  const pages = await walkPages<HistoryEvent, EventCursor>(
    (after) => history.list({ ...ALL, ...query, after }),
    { between },
  );
  return pages.flatMap(({ items }) => items);
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

export function loaded({ roles }: Pick<HistoryStores, 'roles'>, id: RoleId): Promise<LoadedRole> {
  return loadedRole(roles, id);
}
