import {
  type Role,
  type Sha256,
  stateOf,
  type Takedown,
  type TakedownCursor,
  type TakedownStore,
} from '@pinfold/core';
import { claimPurge } from './cleanup.ts';
import type { Connection } from './connection.ts';
import { insertSequenced, saveRole, storeEvents } from './events.ts';
import type { MemoryData } from './memory-data.ts';
import { ascending, descending, pageOf } from './order.ts';

const newestFirst = descending<TakedownCursor>('at', 'id', 'sha256');
const byId = ascending<Pick<Role, 'id'>>('id');

export function memoryTakedownStore(connection: Connection): TakedownStore {
  return {
    takeDown: async (takedown, stopped, events) => {
      const data = connection.change();
      const isNew = data.takedowns.get(nameOfTakedown(takedown))?.liftedAt !== null;
      const isStored = stopped === undefined ? isNew : saveRole(data, stopped.value, stopped.version, events);
      if (!isStored) return { kind: 'conflict' };
      if (stopped === undefined) storeEvents(data, events);
      if (isNew) data.takedowns.set(nameOfTakedown(takedown), takedown);
      return { kind: 'taken_down' };
    },
    lift: async (takedown, liftedAt, events) => {
      const data = connection.change();
      const known = data.takedowns.get(nameOfTakedown(takedown));
      if (known?.liftedAt !== null) return { kind: 'conflict' };
      data.takedowns.set(nameOfTakedown(known), { ...known, liftedAt });
      const row = data.roles.get(known.id);
      if (row === undefined) storeEvents(data, events);
      else data.roles.set(known.id, { ...row, lastEventAt: insertSequenced(data, events, row.lastEventAt) });
      return { kind: 'lifted' };
    },
    isForbidden: async (sha256) => isForbidden(connection.open(), sha256),
    of: async (ids) =>
      structuredClone([...connection.open().takedowns.values()].filter(({ id }) => ids.includes(id))),
    list: async ({ sha256, after, limit }) => {
      const inForce = [...connection.open().takedowns.values()].filter(({ liftedAt }) => liftedAt === null);
      const wanted = inForce.filter((each) => sha256 === undefined || each.sha256 === sha256);
      return pageOf(wanted, newestFirst, after, limit);
    },
    copies: async ({ sha256, now, after, limit }) => {
      const roles = [...connection.open().roles.values()].map(({ role }) => role);
      const wanted = roles.filter((role) => role.sha256 === sha256 && stateOf(role, now) === 'published');
      return pageOf(wanted, byId, after && { id: after }, limit).map(({ id }) => id);
    },
    claimPurge: async (claim) => claimPurge(connection.change(), claim),
  };
}

export function isForbidden({ takedowns }: MemoryData, sha256: Sha256): boolean {
  return [...takedowns.values()].some((each) => each.sha256 === sha256 && each.liftedAt === null);
}

export function nameOfTakedown({ id, sha256 }: Pick<Takedown, 'id' | 'sha256'>): string {
  return `${id} ${sha256}`;
}
