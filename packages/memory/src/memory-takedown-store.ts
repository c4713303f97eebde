import type { TakedownStore } from '@pinfold/core';
import { claimPurge } from './cleanup.ts';
import type { Connection } from './connection.ts';
import { copies, isForbidden, lift, listTakedowns, takeDown } from './takedowns.ts';

export function memoryTakedownStore(connection: Connection): TakedownStore {
  return {
    takeDown: async (takedown, stopped, events) => ({
      kind: takeDown(connection.change(), takedown, stopped, events) ? 'taken_down' : 'conflict',
    }),
    lift: async (takedown, at, events) => ({
      kind: lift(connection.change(), takedown, at, events) ? 'lifted' : 'conflict',
    }),
    isForbidden: async (sha256) => isForbidden(connection.open(), sha256),
    of: async (ids) => [...connection.open().takedowns.values()].filter(({ id }) => ids.includes(id)),
    list: async (query) => listTakedowns(connection.open(), query),
    copies: async (query) => copies(connection.open(), query),
    claimPurge: async (claim) => claimPurge(connection.change(), claim),
  };
}
