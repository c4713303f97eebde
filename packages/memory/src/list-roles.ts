import {
  type LoadedRole,
  type Page,
  type Role,
  type RoleCursor,
  type RoleId,
  type RoleQuery,
  stateOf,
} from '@pinfold/core';
import { FIRST_GENERATION, MOST_SEARCHED, titleFolded } from '@pinfold/core/adapter';
import type { MemoryData } from './memory-data.ts';

export function listRoles(data: MemoryData, query: RoleQuery): Page<Role> {
  const most = query.search === undefined ? Number.POSITIVE_INFINITY : MOST_SEARCHED;
  const items: Role[] = [];
  let looked = 0;
  let last = query.after;
  for (const role of newestFirst(data, query)) {
    if (looked === most) return { items, next: last };
    looked += 1;
    if (matches(role, query)) {
      if (items.length === query.limit) return { items, next: last };
      items.push({ ...role });
    }
    last = placeOf(role);
  }
  return { items, next: undefined };
}

function newestFirst(data: MemoryData, { account, after }: RoleQuery): readonly Role[] {
  const own = [...data.roles.values()]
    .map(({ role }) => role)
    .filter((role) => account === undefined || role.account === account);
  const behind = after === undefined ? own : own.filter((role) => order(after, role) < 0);
  return behind.sort(order);
}

/** Negative when `one` comes first: newest first by (publishedAt, id). */
function order(one: RoleCursor, other: RoleCursor): number {
  if (one.publishedAt !== other.publishedAt) return other.publishedAt - one.publishedAt;
  if (one.id === other.id) return 0;
  return one.id > other.id ? -1 : 1;
}

function matches(role: Role, { now, state, idempotencyKey, search }: RoleQuery): boolean {
  if (idempotencyKey !== undefined) return role.idempotencyKey === idempotencyKey;
  const present = stateOf(role, now);
  if (state === undefined ? present === 'deleted' : present !== state) return false;
  if (search === undefined) return true;
  return role.id.includes(search) || titleFolded(role).includes(search);
}

function placeOf({ publishedAt, id }: Role): RoleCursor {
  return { publishedAt, id };
}

export function loadRole({ roles, accounts }: MemoryData, id: RoleId): LoadedRole | undefined {
  const row = roles.get(id);
  if (row === undefined) return undefined;
  const owner = accounts.get(row.role.account)?.account;
  return {
    value: { ...row.role },
    version: row.version,
    isHidden: owner?.blocked?.sites === 'hide',
    accountGeneration: owner?.generation ?? FIRST_GENERATION,
  };
}
