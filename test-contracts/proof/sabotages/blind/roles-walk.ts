import { type Role, type RoleCursor, type RoleQuery, type RoleStore, stateOf } from '@pinfold/core';
import { titleFolded } from '@pinfold/core/adapter';
import type { Spoiling } from '../../saboteurs/memory-saboteurs.ts';

/** What a list does in its own way; the rest is done as it should be. */
export interface Habits {
  readonly order?: (one: Role, other: Role) => number;
  readonly isBehind?: (cursor: RoleCursor, role: Role) => boolean;
  readonly isInState?: (role: Role, query: RoleQuery) => boolean;
  readonly isFound?: (role: Role, search: string) => boolean;
  /** Takes a page first, and looks then what of it is wanted. */
  readonly filtersLate?: boolean;
}

/** Lists with habits of its own. */
export function listing(own: Habits): Spoiling<RoleStore> {
  return () => (store) => ({
    list: async (query) => {
      if (query.idempotencyKey !== undefined) return await store.list(query);
      const { order = newestFirst, isBehind = follows, filtersLate = false } = own;
      const { after, limit } = query;
      const all = (await everyRole(store, query)).sort(order);
      const behind = all.filter((role) => after === undefined || isBehind(after, role));
      const wanted = filtersLate ? behind : behind.filter((role) => fits(own, role, query));
      const page = wanted.slice(0, limit);
      const last = wanted.length > limit ? page.at(-1) : undefined;
      return {
        items: page.filter((role) => fits(own, role, query)),
        next: last && { publishedAt: last.publishedAt, id: last.id },
      };
    },
  });
}

/** Those of an account, or all, whatever their state. */
async function everyRole(store: RoleStore, { account, now }: RoleQuery): Promise<Role[]> {
  const all = { account, now, idempotencyKey: undefined, search: undefined, after: undefined };
  const limit = Number.MAX_SAFE_INTEGER;
  const present = await store.list({ ...all, state: undefined, limit });
  const deleted = await store.list({ ...all, state: 'deleted', limit });
  return [...present.items, ...deleted.items];
}

function newestFirst(one: RoleCursor, other: RoleCursor): number {
  if (one.publishedAt !== other.publishedAt) return other.publishedAt - one.publishedAt;
  return one.id > other.id ? -1 : 1;
}

function follows(cursor: RoleCursor, role: Role): boolean {
  return role.id !== cursor.id && newestFirst(cursor, role) < 0;
}

function fits(habits: Habits, role: Role, query: RoleQuery): boolean {
  const { isInState = inState, isFound = found } = habits;
  if (!isInState(role, query)) return false;
  return query.search === undefined || isFound(role, query.search);
}

function inState(role: Role, { state, now }: RoleQuery): boolean {
  const present = stateOf(role, now);
  return state === undefined ? present !== 'deleted' : present === state;
}

function found(role: Role, search: string): boolean {
  return role.id.includes(search) || titleFolded(role).includes(search);
}
