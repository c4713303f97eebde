import type { ApiKey, ApiKeyStore } from '@pinfold/core';
import { madeAccount, refused } from './accounts.ts';
import type { Connection } from './connection.ts';
import { keep } from './events.ts';

/** Nobody's change of what was given or answered changes what is kept. */
function copyOf(key: ApiKey): ApiKey {
  return { ...key, scopes: [...key.scopes] };
}

export function memoryApiKeyStore(connection: Connection): ApiKeyStore {
  return {
    create: async (key, events, authority) => {
      const data = connection.change();
      const refusal = refused(data, key.account, authority);
      if (refusal !== undefined) return refusal;
      if (data.apiKeys.has(key.id)) return { kind: 'exists' };
      data.apiKeys.set(key.id, copyOf(key));
      madeAccount(data, key.account);
      keep(data, events);
      return { kind: 'created' };
    },
    createFirst: async (key, events) => {
      const data = connection.change();
      if (data.apiKeys.size > 0) return { kind: 'exists' };
      data.apiKeys.set(key.id, copyOf(key));
      madeAccount(data, key.account);
      keep(data, events);
      return { kind: 'created' };
    },
    find: async (id, signal) => {
      signal?.throwIfAborted();
      const key = connection.open().apiKeys.get(id);
      return key && copyOf(key);
    },
    list: async (account) => {
      const all = [...connection.open().apiKeys.values()];
      const wanted = account === undefined ? all : all.filter((key) => key.account === account);
      return wanted
        .map(copyOf)
        .sort((one, other) => one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1));
    },
    revoke: async (id, at, events) => {
      const data = connection.change();
      const key = data.apiKeys.get(id);
      if (key === undefined) return { kind: 'unknown' };
      if (key.revokedAt === null) {
        data.apiKeys.set(id, { ...key, revokedAt: at });
        keep(data, events);
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
  };
}
