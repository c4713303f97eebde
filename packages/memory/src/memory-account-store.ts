import type { AccountStore } from '@pinfold/core';
import { listAccounts, saveAccount, usedBy } from './accounts.ts';
import type { Connection } from './connection.ts';
import { keep } from './events.ts';

export function memoryAccountStore(connection: Connection): AccountStore {
  return {
    load: async (name, signal) => {
      signal?.throwIfAborted();
      const row = connection.open().accounts.get(name);
      return row && { value: row.account, version: row.version };
    },
    save: async (change, loadedAt, events) => {
      const data = connection.change();
      if (!saveAccount(data, change, loadedAt)) return { kind: 'conflict' };
      keep(data, events);
      return { kind: 'saved' };
    },
    list: async (after, limit) => listAccounts(connection.open(), after, limit),
    usedBy: async (name, now) => usedBy(connection.open(), name, now),
  };
}
