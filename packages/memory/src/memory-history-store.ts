import type {
  EventCursor,
  EventQuery,
  EventThinning,
  HistoryEvent,
  HistoryStore,
  Instant,
  Version,
} from '@pinfold/core';
import { eventPageOf } from '@pinfold/core/adapter';
import type { Connection } from './connection.ts';
import { dropEvents, storeEvents } from './events.ts';
import type { MemoryData, RoleRow } from './memory-data.ts';
import { descending, pageOf } from './order.ts';

const newestFirst = descending<EventCursor>('at', 'id');

export function memoryHistoryStore(connection: Connection): HistoryStore {
  return {
    list: async (query) => {
      const wanted = [...connection.open().events.values()].filter((event) => matches(event, query));
      return eventPageOf(pageOf(wanted, newestFirst, query.after, query.limit + 1), query.limit);
    },
    feed: async (query) => {
      const { events, feeds } = connection.open();
      return structuredClone(feeds.read(query, events));
    },
    expired: async (by, limit) => {
      const rows = [...connection.open().roles.values()];
      const expired = rows.flatMap((row) => {
        const expiresAt = untoldExpiry(row);
        return expiresAt === undefined || expiresAt > by
          ? []
          : [{ role: row.role.id, account: row.role.account, expiresAt }];
      });
      return expired.sort((one, other) => one.expiresAt - other.expiresAt).slice(0, limit);
    },
    tellExpired: async (events) => {
      for (const event of events) tellExpired(connection.change(), event);
    },
    drop: async (before, limit) => {
      const data = connection.change();
      const old = [...data.events.values()].filter(({ recordedAt }) => recordedAt < before);
      return dropEvents(data, old.slice(0, limit));
    },
    thin: async (thinning) => {
      const data = connection.change();
      return dropEvents(data, extraOf([...data.events.values()], thinning));
    },
  };
}

function extraOf(
  events: readonly HistoryEvent[],
  { since, until, keep, limit }: EventThinning,
): readonly HistoryEvent[] {
  const isRecent = ({ recordedAt }: HistoryEvent) => recordedAt >= since && recordedAt < until;
  const roles = new Set(events.filter(isRecent).flatMap(({ pin }) => pin ?? []));
  return [...roles]
    .flatMap((role) =>
      events
        .filter(({ pin }) => pin === role)
        .sort(newestFirst)
        .slice(keep),
    )
    .filter(({ recordedAt }) => recordedAt < until)
    .slice(0, limit);
}

function tellExpired(data: MemoryData, event: HistoryEvent): void {
  const row = event.pin === null ? undefined : data.roles.get(event.pin);
  if (row === undefined || untoldExpiry(row) !== event.at) return;
  const version = (row.version + 1) as Version;
  const lastEventAt = Math.max(row.lastEventAt, event.at) as Instant;
  data.roles.set(row.role.id, { ...row, version, lastEventAt, isExpiryTold: true });
  storeEvents(data, [event]);
}

function untoldExpiry({ role: { expiresAt, deletedAt }, isExpiryTold }: RoleRow): Instant | undefined {
  if (isExpiryTold || expiresAt === null || (deletedAt !== null && deletedAt < expiresAt)) return undefined;
  return expiresAt;
}

function matches(event: HistoryEvent, { account, pin, since }: EventQuery): boolean {
  if (account !== undefined && event.account !== account) return false;
  return (pin === undefined || event.pin === pin) && (since === undefined || event.at >= since);
}
