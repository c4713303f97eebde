import type { Role, RoleId, RoleQuery, RoleStore } from '@pinfold/core';
import { claimForCleanup, countForCleanup } from '../../../../packages/memory/src/cleanup.ts';
import { Connection } from '../../../../packages/memory/src/connection.ts';
import { listRoles } from '../../../../packages/memory/src/list-roles.ts';
import { emptyData, type MemoryData, type RoleRow } from '../../../../packages/memory/src/memory-data.ts';
import { memoryRoleStore } from '../../../../packages/memory/src/memory-role-store.ts';
import { commit, nameOf, reserve } from '../../../../packages/memory/src/reservations.ts';
import type { Spoiling } from '../../saboteurs/memory-saboteurs.ts';

import { copying } from '../ways.ts';

export { type MemoryData, nameOf };

/** The memory's store over data that the sabotage can reach; in reach as long as the one it stands for is. */
export function own(
  make: (data: MemoryData) => (sound: RoleStore) => Partial<RoleStore>,
): Spoiling<RoleStore> {
  return () => {
    const data = emptyData();
    const methodsOf = make(data);
    return (store) => {
      const sound = memoryRoleStore(new Connection(data));
      const methods = Object.entries({ ...sound, ...methodsOf(sound) });
      const reaching = methods.map(([name, method]) => [
        name,
        async (...inputs: unknown[]) => {
          await store.loadComparison();
          return Reflect.apply(method, undefined, inputs);
        },
      ]);
      return copying(Object.fromEntries(reaching));
    };
  };
}

/** Changes the row of a role, if there is one. */
export function change(data: MemoryData, id: RoleId, how: (row: RoleRow) => Partial<RoleRow>): void {
  const row = data.roles.get(id);
  if (row !== undefined) data.roles.set(id, { ...row, ...how(row) });
}

/** The same data, with other roles in it. */
function seen(data: MemoryData, as: (role: Role) => Role): MemoryData {
  const roles = [...data.roles].map(([id, row]) => [id, { ...row, role: as(row.role) }] as const);
  return { ...data, roles: new Map(roles) };
}

/** Stores roles otherwise than it is told. */
export const stores =
  (as: (role: Role) => Role): Spoiling<RoleStore> =>
  () =>
  (store) => ({
    commit: (publication, lease, events) =>
      store.commit({ ...publication, role: as(publication.role) }, lease, events),
    save: (role, ...rest) => store.save(as(role), ...rest),
  });

/** Lists as if the roles were others; answers them as they are. */
export const listed = (data: MemoryData, query: RoleQuery, as: (role: Role) => Role) => {
  const page = listRoles(seen(data, as), query);
  return { ...page, items: page.items.map(({ id }) => data.roles.get(id)?.role as Role) };
};

export const lists = (as: (role: Role, query: RoleQuery) => Role): Spoiling<RoleStore> =>
  own((data) => () => ({ list: async (query) => listed(data, query, (role) => as(role, query)) }));

/** Counts what is in service as if the roles were others. */
export const counts = (as: (role: Role, now: number) => Role): Spoiling<RoleStore> =>
  own((data) => () => ({
    reserve: async (request) =>
      reserve(
        seen(data, (role) => as(role, request.now)),
        request,
      ),
    commit: async (publication, lease, events) => {
      const other = seen(data, (role) => as(role, publication.now));
      const outcome = commit(other, publication, lease, events);
      const { id } = publication.role;
      const row = other.roles.get(id);
      if (row !== undefined && !data.roles.has(id)) data.roles.set(id, row);
      return outcome;
    },
  }));

/** Cleans up as if the roles were others. */
export const ends = (as: (role: Role) => Role): Spoiling<RoleStore> =>
  own((data) => () => ({
    claimForCleanup: async (request) => {
      const other = seen(data, as);
      const tasks = claimForCleanup(other, request);
      for (const { role: id } of tasks) {
        change(data, id, ({ role }) => ({ ...other.roles.get(id), role }));
      }
      return tasks;
    },
    countForCleanup: async (request) => countForCleanup(seen(data, as), request),
  }));
