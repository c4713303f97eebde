import type { KeptWarning, NameRecord } from '@pinfold/core';
import { parseJsonList } from '@pinfold/core/adapter';
import type { MovedRecord, PublicationRecord, Snapshot } from '@pinfold/core/moving';
import type { Connection } from './connection.ts';
import { byCodePoint } from './memory-account-store.ts';
import type { MemoryData, RoleRow } from './memory-data.ts';
import { ascending } from './order.ts';
import { nameOf } from './reservations.ts';

export function memorySnapshot(connection: Connection): Snapshot {
  return {
    async *records(signal) {
      for (const record of recordsOf(connection.open(signal))) {
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
  const publications = [...data.roles.values()].map((row) => publicationOf(data, row));
  const byName = ascending<NameRecord>('name');
  return [
    ...sorted('account', accounts, (one, other) => byCodePoint(one.name, other.name)),
    ...sorted('key', keys, ascending('id')),
    ...sorted('publication', publications, ascending('id')),
    ...sorted(
      'name',
      data.names.values(),
      (one, other) => byCodePoint(one.account, other.account) || byName(one, other),
    ),
    ...sorted('takedown', data.takedowns.values(), ascending('id', 'sha256')),
    ...sorted('views', data.views.values(), ascending('role', 'day')),
    ...sorted('event', data.events.values(), ascending('at', 'id')),
  ];
}

function sorted<Kind extends string, Value>(
  kind: Kind,
  values: Iterable<Value>,
  compare: (one: Value, other: Value) => number,
): { readonly kind: Kind; readonly value: Value }[] {
  return [...values].sort(compare).map((value) => ({ kind, value }));
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
