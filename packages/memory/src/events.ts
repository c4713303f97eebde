import {
  after,
  duration,
  type HistoryEvent,
  type Instant,
  type Role,
  type RoleId,
  type Version,
} from '@pinfold/core';
import type { MemoryData } from './memory-data.ts';

export function storeEvents({ events, feeds }: MemoryData, added: readonly HistoryEvent[]): void {
  for (const event of added) {
    events.set(event.id, { ...event, actor: { ...event.actor } });
    feeds.add(event);
  }
}

export function dropEvents({ events, feeds }: MemoryData, dropped: readonly HistoryEvent[]): number {
  for (const event of dropped) {
    events.delete(event.id);
    feeds.drop(event);
  }
  return dropped.length;
}

/** Stores the events of one change of a role, each later than the one before. Returns the instant of the last. */
export function insertSequenced(
  data: MemoryData,
  added: readonly HistoryEvent[],
  lastEventAt: Instant,
): Instant {
  let last = lastEventAt;
  for (const event of added) {
    last = Math.max(event.at, after(last, duration(1))) as Instant;
    storeEvents(data, [{ ...event, at: last }]);
  }
  return last;
}

/** Stores the change if the version is still the loaded one. Returns whether it did. */
export function saveRole(
  data: MemoryData,
  role: Role,
  loadedAt: Version,
  events: readonly HistoryEvent[],
): boolean {
  const row = data.roles.get(role.id);
  if (row?.version !== loadedAt) return false;
  const lastEventAt = insertSequenced(data, events, row.lastEventAt);
  data.roles.set(role.id, { ...row, role: { ...role }, version: (row.version + 1) as Version, lastEventAt });
  return true;
}

/** Stores the events of one role outside of a change of it, each later than the role's last. */
export function storeEventsOfRole(data: MemoryData, id: RoleId, events: readonly HistoryEvent[]): void {
  const row = data.roles.get(id);
  if (row === undefined) return;
  const added = events.map((event) => ({ ...event, pin: id }));
  data.roles.set(id, { ...row, lastEventAt: insertSequenced(data, added, row.lastEventAt) });
}
