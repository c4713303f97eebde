import type { Instant, Token, Version } from '@pinfold/core';
import type { Import, MovedRecord, PublicationRecord, RemovalRecord } from '@pinfold/core/moving';
import type { Connection } from './connection.ts';
import { Feeds } from './feeds.ts';
import type { MemoryData } from './memory-data.ts';
import { nameOfTakedown } from './memory-takedown-store.ts';
import { nameOfDay } from './memory-view-store.ts';
import { ascending } from './order.ts';
import { nameOf } from './reservations.ts';

/** The token of an imported key. No publication has it, so no commit can repeat it. */
const MOVED = 'moved' as Token;

const FIRST = 1 as Version;

export function memoryImport(connection: Connection): Import {
  return {
    isUnfinished: async (signal) => {
      signal?.throwIfAborted();
      return connection.open().importing !== undefined;
    },
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
      for (const record of records) keepOne(data, record);
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

function keepOne(data: MemoryData, { kind, value }: MovedRecord): void {
  switch (kind) {
    case 'account':
      if (data.accounts.has(value.name)) return;
      data.accounts.set(value.name, { account: { ...value, publicationsMark: null }, version: FIRST });
      return;
    case 'key':
      if (!data.apiKeys.has(value.id)) data.apiKeys.set(value.id, { ...value, lastUsedAt: null });
      return;
    case 'publication':
      if (!data.roles.has(value.id)) keepPublication(data, value);
      return;
    case 'name':
      if (!data.names.has(value.token)) data.names.set(value.token, value);
      return;
    case 'takedown':
      if (!data.takedowns.has(nameOfTakedown(value))) data.takedowns.set(nameOfTakedown(value), value);
      return;
    case 'views':
      if (!data.views.has(nameOfDay(value))) data.views.set(nameOfDay(value), value);
      return;
    case 'event':
      if (!data.events.has(value.id)) data.events.set(value.id, value);
      return;
    case 'removal':
      keepRemoval(data, value);
      return;
    default:
      kind satisfies never;
  }
}

function keepPublication(data: MemoryData, record: PublicationRecord): void {
  const { fingerprint, warnings, lastEventAt, isExpiryTold, manifest, ...role } = record;
  data.keys.set(nameOf({ account: role.account, key: role.idempotencyKey }), {
    fingerprint,
    token: MOVED,
    begunAt: 0 as Instant,
    heldUntil: 0 as Instant,
    role: role.id,
    warnings: JSON.stringify(warnings),
  });
  if (manifest !== null) data.manifests.set(role.archive, manifest);
  data.roles.set(role.id, {
    role,
    version: FIRST,
    archiveRemoved: manifest === null,
    claim: undefined,
    claimableAt: undefined,
    failures: 0,
    isPurged: false,
    lastEventAt,
    isExpiryTold,
  });
}

function keepRemoval(data: MemoryData, { id, expiresAt, deletedAt }: RemovalRecord): void {
  const row = data.roles.get(id);
  if (row === undefined) return;
  data.manifests.delete(row.role.archive);
  data.roles.set(id, { ...row, role: { ...row.role, expiresAt, deletedAt }, archiveRemoved: true });
}
