import type { EventCursor, KeptWarning } from '@pinfold/core';
import { parseJsonList } from '@pinfold/core/adapter';
import type { MovedRecord, PublicationRecord, Snapshot } from '@pinfold/core/moving';
import type { Connection } from './connection.ts';
import { byCodePoint } from './memory-account-store.ts';
import type { MemoryData, RoleRow } from './memory-data.ts';
import { nameOf } from './reservations.ts';

export function memorySnapshot(connection: Connection): Snapshot {
  return {
    async *records(signal) {
      signal?.throwIfAborted();
      for (const record of recordsOf(connection.open())) {
        yield record;
        signal?.throwIfAborted();
      }
    },
  };
}

/** Copies the maps at once, which is enough: rows are replaced, never changed. */
function recordsOf(data: MemoryData): readonly MovedRecord[] {
  const accounts = [...data.accounts.values()].map(({ account: { publicationsMark: _, ...value } }) => value);
  const keys = [...data.apiKeys.values()].map(({ lastUsedAt: _, ...value }) => value);
  return [
    ...accounts
      .sort((one, other) => byCodePoint(one.name, other.name))
      .map((value) => ({ kind: 'account', value }) as const),
    ...keys.sort(byId).map((value) => ({ kind: 'key', value }) as const),
    ...[...data.roles.values()]
      .map((row) => publicationOf(data, row))
      .sort(byId)
      .map((value) => ({ kind: 'publication', value }) as const),
    ...[...data.names.values()]
      .sort((one, other) => byCodePoint(one.account, other.account) || compare(one.name, other.name))
      .map((value) => ({ kind: 'name', value }) as const),
    ...[...data.takedowns.values()]
      .sort((one, other) => byId(one, other) || compare(one.sha256, other.sha256))
      .map((value) => ({ kind: 'takedown', value }) as const),
    ...[...data.views.values()]
      .sort((one, other) => compare(one.role, other.role) || one.day - other.day)
      .map((value) => ({ kind: 'views', value }) as const),
    ...[...data.events.values()].sort(byInstant).map((value) => ({ kind: 'event', value }) as const),
  ];
}

function publicationOf(
  { keys, manifests }: MemoryData,
  { role, lastEventAt, isExpiryTold, archiveRemoved }: RoleRow,
): PublicationRecord {
  const key = keys.get(nameOf({ account: role.account, key: role.idempotencyKey }));
  return {
    ...role,
    fingerprint: key?.fingerprint as PublicationRecord['fingerprint'],
    warnings: parseJsonList(key?.warnings ?? null) as readonly KeptWarning[],
    lastEventAt,
    isExpiryTold,
    manifest: archiveRemoved ? null : (manifests.get(role.archive) ?? null),
  };
}

/** Negative when `one` comes first, oldest first by (at, id). */
export function byInstant(one: EventCursor, other: EventCursor): number {
  return one.at - other.at || byId(one, other);
}

function byId(one: { readonly id: string }, other: { readonly id: string }): number {
  return compare(one.id, other.id);
}

/** Compares ASCII texts. */
function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
