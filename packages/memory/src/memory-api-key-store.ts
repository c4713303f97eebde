import type { ApiKeyStore } from '@pinfold/core';
import { madeAccount } from './accounts.ts';
import type { Connection } from './connection.ts';

export function memoryApiKeyStore(connection: Connection): ApiKeyStore {
  return {
    create: async (key) => {
      const data = connection.open();
      if (data.apiKeys.has(key.id)) return { kind: 'exists' };
      data.apiKeys.set(key.id, key);
      madeAccount(data, key.account);
      return { kind: 'created' };
    },
    createFirst: async (key) => {
      const data = connection.open();
      if (data.apiKeys.size > 0) return { kind: 'exists' };
      data.apiKeys.set(key.id, key);
      madeAccount(data, key.account);
      return { kind: 'created' };
    },
    find: async (id, signal) => {
      signal?.throwIfAborted();
      return connection.open().apiKeys.get(id);
    },
    list: async (account) => {
      const all = [...connection.open().apiKeys.values()];
      const wanted = account === undefined ? all : all.filter((key) => key.account === account);
      return wanted.sort((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1));
    },
    revoke: async (id, at) => {
      const { apiKeys } = connection.open();
      const key = apiKeys.get(id);
      if (key === undefined) return { kind: 'unknown' };
      apiKeys.set(id, { ...key, revokedAt: key.revokedAt ?? at });
      return { kind: 'revoked' };
    },
    touch: async (id, at, unlessSince) => {
      const { apiKeys } = connection.open();
      const key = apiKeys.get(id);
      if (key === undefined) return;
      const last = key.lastUsedAt ?? Number.NEGATIVE_INFINITY;
      if (last <= unlessSince && last < at) apiKeys.set(id, { ...key, lastUsedAt: at });
    },
  };
}
