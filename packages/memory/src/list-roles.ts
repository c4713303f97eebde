import { type LoadedRole, type Page, type Role, type RoleId, type RoleQuery, stateOf } from '@pinfold/core';
import { FIRST_GENERATION, MOST_SEARCHED, placeOf, startOf, titleFolded } from '@pinfold/core/adapter';
import type { MemoryData } from './memory-data.ts';
import { descending } from './order.ts';

const greatestFirst = descending<ReturnType<typeof startOf>>('rank', 'id');

export function listRoles(data: MemoryData, query: RoleQuery): Page<Role> {
  const most = query.search === undefined ? Number.POSITIVE_INFINITY : MOST_SEARCHED;
  const items: Role[] = [];
  let looked = 0;
  let last = query.after;
  for (const role of inOrder(data, query)) {
    if (looked === most) return { items, next: last };
    looked += 1;
    if (matches(role, query)) {
      if (items.length === query.limit) return { items, next: last };
      items.push({ ...role });
    }
    last = placeOf(role, query.order);
  }
  return { items, next: undefined };
}

function inOrder(data: MemoryData, query: RoleQuery): readonly Role[] {
  const start = startOf(query);
  return [...data.roles.values()]
    .filter(({ role }) => query.account === undefined || role.account === query.account)
    .map(({ role }) => ({ role, place: placeOf(role, query.order) }))
    .filter(({ place }) => greatestFirst(start, place) < 0)
    .sort((one, other) => greatestFirst(one.place, other.place))
    .map(({ role }) => role);
}

function matches(role: Role, { now, state, idempotencyKey, search }: RoleQuery): boolean {
  if (idempotencyKey !== undefined) return role.idempotencyKey === idempotencyKey;
  const present = stateOf(role, now);
  if (state === undefined ? present === 'deleted' : present !== state) return false;
  if (search === undefined) return true;
  return role.id.includes(search) || titleFolded(role).includes(search);
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
