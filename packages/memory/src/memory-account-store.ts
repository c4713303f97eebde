import {
  type Account,
  type AccountId,
  type AccountStore,
  type AccountUse,
  before,
  type Credential,
  days,
  type Instant,
  type Refusal,
  type SaveAuthority,
  stateOf,
  type Unchangeable,
  type Version,
} from '@pinfold/core';
import { FIRST_GENERATION, NO_LIMITS, refuseChange, UNAUTHORIZED } from '@pinfold/core/adapter';
import type { Connection } from './connection.ts';
import { storeEvents } from './events.ts';
import type { AccountRow, MemoryData } from './memory-data.ts';
import { pageOf } from './order.ts';

export function memoryAccountStore(connection: Connection): AccountStore {
  return {
    load: async (name, signal) => {
      const row = connection.open(signal).accounts.get(name);
      return row && { value: structuredClone(row.account), version: row.version };
    },
    save: async (change, loadedAt, events) => {
      const data = connection.change();
      const row = data.accounts.get(change.name);
      if (row?.version !== loadedAt) return { kind: 'conflict' };
      const account = { ...(row?.account ?? newAccount(change.name)), ...change };
      data.accounts.set(change.name, { account, version: ((loadedAt ?? 0) + 1) as Version });
      storeEvents(data, events);
      return { kind: 'saved' };
    },
    list: async (after, limit) => {
      const accounts = [...connection.open().accounts.values()].map(({ account }) => account);
      return pageOf(accounts, byName, after === undefined ? undefined : { name: after }, limit);
    },
    usedBy: async (name, now) => usedBy(connection.open(), name, now),
  };
}

/** Returns the row of an account, and creates it if it is missing. */
export function madeAccount({ accounts }: MemoryData, name: AccountId): AccountRow {
  const row = accounts.get(name) ?? { account: newAccount(name), version: 1 as Version };
  accounts.set(name, row);
  return row;
}

export function refused(
  { accounts, mode }: MemoryData,
  name: AccountId,
  authority?: SaveAuthority,
): Unchangeable | undefined {
  return refuseChange(accounts.get(name)?.account, mode, authority);
}

export function refusedCredential(
  { apiKeys, sessions }: MemoryData,
  { key = null, session = null }: Credential,
): Refusal<'unauthorized'> | undefined {
  const isRevoked = key !== null && (apiKeys.get(key)?.revokedAt ?? null) !== null;
  return isRevoked || (session !== null && !sessions.has(session)) ? UNAUTHORIZED : undefined;
}

export function usedBy({ roles }: MemoryData, name: AccountId, now: Instant): AccountUse {
  const own = [...roles.values()].map(({ role }) => role).filter(({ account }) => account === name);
  const inService = own.filter((role) => stateOf(role, now) === 'published');
  return {
    sites: inService.length,
    bytes: inService.reduce((sum, { archiveBytes }) => sum + archiveBytes, 0),
    publications24h: own.filter(({ publishedAt }) => publishedAt > before(now, days(1))).length,
  };
}

function newAccount(name: AccountId): Account {
  return {
    name,
    limits: NO_LIMITS,
    blocked: null,
    generation: FIRST_GENERATION,
    lastPublishedAt: null,
    publicationsMark: null,
  };
}

export function byCodePoint(one: string, other: string): number {
  const [left, right] = [[...one], [...other]];
  const place = left.findIndex((character, n) => character !== right[n]);
  return place === -1
    ? left.length - right.length
    : (left[place]?.codePointAt(0) ?? 0) - (right[place]?.codePointAt(0) ?? -1);
}

/** By code point, as databases order names. */
function byName(one: Pick<Account, 'name'>, other: Pick<Account, 'name'>): number {
  return byCodePoint(one.name, other.name);
}
