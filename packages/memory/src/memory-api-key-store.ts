import type { AccountId, ApiKey, ApiKeyPlace, ApiKeyStore } from '@pinfold/core';
import { refuseKey } from '@pinfold/core/adapter';
import type { Connection } from './connection.ts';
import { storeEvents } from './events.ts';
import { madeAccount, refused } from './memory-account-store.ts';
import type { MemoryData } from './memory-data.ts';
import { descending } from './order.ts';

const newestFirst = descending<ApiKeyPlace>('createdAt', 'id');

/** Copies values in and out, so that callers cannot change stored ones. */
export function copyOfKey(key: ApiKey): ApiKey {
  return { ...key, scopes: [...key.scopes] };
}

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
      data.apiKeys.set(key.id, copyOfKey(key));
      madeAccount(data, key.account);
      storeEvents(data, events);
      return { kind: 'created' };
    },
    createFirst: async (key, events) => {
      const data = connection.change();
      if (data.apiKeys.size > 0) return { kind: 'exists' };
      data.apiKeys.set(key.id, copyOfKey(key));
      madeAccount(data, key.account);
      storeEvents(data, events);
      return { kind: 'created' };
    },
    find: async (id, signal) => {
      signal?.throwIfAborted();
      const key = connection.open().apiKeys.get(id);
      return key && copyOfKey(key);
    },
    list: async ({ account, after, limit }) =>
      [...connection.open().apiKeys.values()]
        .filter((key) => account === undefined || key.account === account)
        .filter((key) => after === undefined || newestFirst(after, key) < 0)
        .sort(newestFirst)
        .slice(0, limit)
        .map(copyOfKey),
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
      const ordered = [...apiKeys.values()].sort(newestFirst);
      const old = ordered
        .slice(0, -1)
        .filter(({ revokedAt, isEnsured }) => revokedAt !== null && revokedAt < revokedBefore && !isEnsured)
        .slice(0, limit);
      for (const { id } of old) apiKeys.delete(id);
      return old.length;
    },
  };
}

export function countLive({ apiKeys }: MemoryData, account: AccountId): number {
  return [...apiKeys.values()].filter((key) => key.account === account && key.revokedAt === null).length;
}
