import type { Instant, Token } from '@pinfold/core';
import type { Import, MovedRecord, PublicationRecord, RemovalRecord } from '@pinfold/core/moving';
import type { Connection } from './connection.ts';
import { Feeds } from './feeds.ts';
import { FIRST_VERSION, type MemoryData, newRow } from './memory-data.ts';
import { nameOfTakedown } from './memory-takedown-store.ts';
import { nameOfDay } from './memory-view-store.ts';
import { ascending } from './order.ts';
import { nameOf } from './reservations.ts';

/** The token of an imported key. No publication has it, so no commit can repeat it. */
const MOVED = 'moved' as Token;

export function memoryImport(connection: Connection): Import {
  return {
    isUnfinished: async (signal) => connection.open(signal).importing !== undefined,
    begin: async (token) => {
      const data = connection.open();
      const { accounts, apiKeys, roles, keys, names, takedowns, views, manifests, events } = data;
      const kept = [accounts, apiKeys, roles, keys, names, takedowns, views, events];
      if (data.importing === undefined && kept.some(({ size }) => size > 0)) return { kind: 'refused' };
      for (const records of [...kept, manifests]) records.clear();
      data.comparison = undefined;
      data.feeds = new Feeds();
      data.importing = token;
      return { kind: 'begun' };
    },
    keep: async (token, records) => {
      const data = connection.open();
      if (data.importing !== token) return { kind: 'lost' };
      for (const { kind, value } of records) KEEP[kind](data, value as never);
      return { kind: 'kept' };
    },
    end: async (token) => {
      const data = connection.open();
      if (data.importing !== token) return { kind: 'lost' };
      for (const event of [...data.events.values()].sort(ascending('at', 'id'))) data.feeds.add(event);
      data.importing = undefined;
      return { kind: 'ended' };
    },
  };
}

/** If two records have the same key, the first stays. */
function keep<Key, Row>(rows: Map<Key, Row>, key: Key, row: Row): void {
  if (!rows.has(key)) rows.set(key, row);
}

type Keepers = {
  readonly [Each in MovedRecord as Each['kind']]: (data: MemoryData, value: Each['value']) => void;
};

const KEEP: Keepers = {
  account: ({ accounts }, value) => {
    const account = { ...value, publicationsMark: null };
    keep(accounts, value.name, { account, version: FIRST_VERSION });
  },
  key: ({ apiKeys }, value) => keep(apiKeys, value.id, { ...value, lastUsedAt: null }),
  publication: keepPublication,
  name: ({ names }, value) => keep(names, value.token, value),
  takedown: ({ takedowns }, value) => keep(takedowns, nameOfTakedown(value), value),
  views: ({ views }, value) => keep(views, nameOfDay(value), value),
  event: ({ events }, value) => keep(events, value.id, value),
  removal: keepRemoval,
};

function keepPublication(data: MemoryData, record: PublicationRecord): void {
  const { fingerprint, warnings, lastEventAt, isExpiryTold, manifest, ...role } = record;
  if (data.roles.has(role.id)) return;
  data.keys.set(nameOf({ account: role.account, key: role.idempotencyKey }), {
    fingerprint,
    token: MOVED,
    begunAt: 0 as Instant,
    heldUntil: 0 as Instant,
    role: role.id,
    warnings: JSON.stringify(warnings),
  });
  if (manifest !== null) data.manifests.set(role.archive, manifest);
  const row = newRow(role, lastEventAt);
  data.roles.set(role.id, { ...row, archiveRemoved: manifest === null, isExpiryTold });
}

function keepRemoval(data: MemoryData, { id, expiresAt, deletedAt }: RemovalRecord): void {
  const row = data.roles.get(id);
  if (row === undefined) return;
  data.manifests.delete(row.role.archive);
  data.roles.set(id, { ...row, role: { ...row.role, expiresAt, deletedAt }, archiveRemoved: true });
}
