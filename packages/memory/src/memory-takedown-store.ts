import {
  type CleanupTask,
  type CopyQuery,
  type HistoryEvent,
  type Instant,
  type PurgeClaim,
  type Role,
  type RoleId,
  type Sha256,
  stateOf,
  type Takedown,
  type TakedownCursor,
  type TakedownQuery,
  type TakedownStore,
  type Version,
  type Versioned,
} from '@pinfold/core';
import type { Connection } from './connection.ts';
import { insertSequenced, saveRole, storeEvents } from './events.ts';
import type { MemoryData } from './memory-data.ts';
import { descending } from './order.ts';

const newestFirst = descending<TakedownCursor>('at', 'id', 'sha256');

export function memoryTakedownStore(connection: Connection): TakedownStore {
  return {
    takeDown: async (takedown, stopped, events) => ({
      kind: takeDown(connection.change(), takedown, stopped, events) ? 'taken_down' : 'conflict',
    }),
    lift: async (takedown, at, events) => ({
      kind: lift(connection.change(), takedown, at, events) ? 'lifted' : 'conflict',
    }),
    isForbidden: async (sha256) => isForbidden(connection.open(), sha256),
    of: async (ids) =>
      structuredClone([...connection.open().takedowns.values()].filter(({ id }) => ids.includes(id))),
    list: async (query) => structuredClone(listTakedowns(connection.open(), query)),
    copies: async (query) => copies(connection.open(), query),
    claimPurge: async (claim) => claimPurge(connection.change(), claim),
  };
}

export function isForbidden({ takedowns }: MemoryData, sha256: Sha256): boolean {
  return [...takedowns.values()].some((each) => each.sha256 === sha256 && each.liftedAt === null);
}

/** Returns whether the takedown was stored. */
export function takeDown(
  data: MemoryData,
  takedown: Takedown,
  stopped: Versioned<Role> | undefined,
  events: readonly HistoryEvent[],
): boolean {
  const isNew = data.takedowns.get(nameOfTakedown(takedown))?.liftedAt !== null;
  if (stopped === undefined ? !isNew : !saveRole(data, stopped.value, stopped.version, events)) return false;
  if (stopped === undefined) storeEvents(data, events);
  if (isNew) data.takedowns.set(nameOfTakedown(takedown), takedown);
  return true;
}

/** Returns whether this call lifted the takedown. */
export function lift(
  data: MemoryData,
  { id, sha256 }: Pick<Takedown, 'id' | 'sha256'>,
  liftedAt: Instant,
  events: readonly HistoryEvent[],
): boolean {
  const known = data.takedowns.get(nameOfTakedown({ id, sha256 }));
  if (known?.liftedAt !== null) return false;
  data.takedowns.set(nameOfTakedown(known), { ...known, liftedAt });
  const row = data.roles.get(id);
  if (row === undefined) storeEvents(data, events);
  else data.roles.set(id, { ...row, lastEventAt: insertSequenced(data, events, row.lastEventAt) });
  return true;
}

export function listTakedowns(
  { takedowns }: MemoryData,
  { sha256, after, limit }: TakedownQuery,
): readonly Takedown[] {
  return [...takedowns.values()]
    .filter((each) => each.liftedAt === null && (sha256 === undefined || each.sha256 === sha256))
    .filter((each) => after === undefined || newestFirst(after, each) < 0)
    .sort(newestFirst)
    .slice(0, limit);
}

export function copies({ roles }: MemoryData, { sha256, now, after, limit }: CopyQuery): readonly RoleId[] {
  return [...roles.values()]
    .map(({ role }) => role)
    .filter((role) => role.sha256 === sha256 && stateOf(role, now) === 'published')
    .map(({ id }) => id)
    .filter((id) => after === undefined || id > after)
    .sort()
    .slice(0, limit);
}

export function nameOfTakedown({ id, sha256 }: Pick<Takedown, 'id' | 'sha256'>): string {
  return `${id} ${sha256}`;
}

/** Claims a role for removal without a grace period, even if another cleanup has claimed it. */
function claimPurge(data: MemoryData, { role: id, token, until }: PurgeClaim): CleanupTask | undefined {
  const row = data.roles.get(id);
  if (row === undefined || row.archiveRemoved || row.role.deletedAt === null) return undefined;
  const version = (row.version + 1) as Version;
  data.roles.set(id, { ...row, version, claim: token, claimableAt: until, isPurged: true });
  const { account, archive } = row.role;
  return { role: id, account, archive, token, failures: row.failures };
}
