import type { AccountId, ApiKey, ApiKeyPlace, ApiKeyStore, HistoryEvent } from '@pinfold/core';
import { refuseKey } from '@pinfold/core/adapter';
import type { Connection } from './connection.ts';
import { storeEvents } from './events.ts';
import { madeAccount, refused } from './memory-account-store.ts';
import type { MemoryData } from './memory-data.ts';
import { descending, dropFrom, pageOf } from './order.ts';

const newestFirst = descending<ApiKeyPlace>('createdAt', 'id');

export function memoryApiKeyStore(connection: Connection): ApiKeyStore {
  return {
    create: async (key, events, authority = 'account', limit = null) => {
      const data = connection.change();
      const refusal = refused(data, key.account, authority);
      if (refusal !== undefined) return refusal;
      const taken = data.apiKeys.get(key.id);
      if (taken !== undefined) {
        if (key.isEnsured) data.apiKeys.set(key.id, { ...taken, isEnsured: true });
        return { kind: 'exists' };
      }
      const past = authority === 'operator' ? undefined : refuseKey(countLive(data, key.account), limit);
      if (past !== undefined) return past;
      storeKey(data, key, events);
      return { kind: 'created' };
    },
    createFirst: async (key, events) => {
      const data = connection.change();
      if (data.apiKeys.size > 0) return { kind: 'exists' };
      storeKey(data, key, events);
      return { kind: 'created' };
    },
    find: async (id, signal) => structuredClone(connection.open(signal).apiKeys.get(id)),
    list: async ({ account, after, limit }) => {
      const keys = [...connection.open().apiKeys.values()];
      const wanted = keys.filter((key) => account === undefined || key.account === account);
      return pageOf(wanted, newestFirst, after, limit);
    },
    countLive: async (account) => countLive(connection.open(), account),
    revoke: async (id, at, events) => {
      const data = connection.change();
      const key = data.apiKeys.get(id);
      if (key === undefined) return { kind: 'unknown' };
      if (key.revokedAt === null) {
        data.apiKeys.set(id, { ...key, revokedAt: at });
        storeEvents(data, events);
      }
      return { kind: 'revoked' };
    },
    touch: async (id, at, unlessSince) => {
      const { apiKeys } = connection.change();
      const key = apiKeys.get(id);
      if (key === undefined) return;
      const last = key.lastUsedAt ?? Number.NEGATIVE_INFINITY;
      if (last <= unlessSince && last < at) apiKeys.set(id, { ...key, lastUsedAt: at });
    },
    purge: async (revokedBefore, limit) => {
      const { apiKeys } = connection.change();
      const oldest = [...apiKeys.values()].sort(newestFirst).at(-1);
      return dropFrom(apiKeys, limit, (key) => {
        const { revokedAt, isEnsured } = key;
        return revokedAt !== null && revokedAt < revokedBefore && !isEnsured && key !== oldest;
      });
    },
  };
}

export function storeKey(data: MemoryData, key: ApiKey, events: readonly HistoryEvent[]): void {
  data.apiKeys.set(key.id, structuredClone(key));
  madeAccount(data, key.account);
  storeEvents(data, events);
}

export function countLive({ apiKeys }: MemoryData, account: AccountId): number {
  return [...apiKeys.values()].filter((key) => key.account === account && key.revokedAt === null).length;
}
