import type { Instant, RoleCursor, RoleId } from '@pinfold/core';
import { type RoleSaboteur, saboteur } from './subjects.ts';

const LOWEST = '00000000-0000-0000-0000-000000000000' as RoleId;

export const listingSaboteurs: readonly RoleSaboteur[] = [
  saboteur(
    'role-store/list-order',
    'roles of one instant come in any order',
    () => (store) => ({
      list: async (query) => {
        const page = await store.list(query);
        const order = (one: RoleCursor, other: RoleCursor): number =>
          other.publishedAt - one.publishedAt || (one.id < other.id ? -1 : 1);
        return { ...page, items: page.items.toSorted(order) };
      },
    }),
    ['role-store/list-pages', 'role-store/list-search-state', 'role-store/many', 'role-store/list-sparse'],
  ),
  saboteur(
    'role-store/list-pages',
    'a page goes on behind the instant of the last',
    () => (store) => ({
      list: (query) => store.list({ ...query, after: query.after && { ...query.after, id: LOWEST } }),
    }),
    [
      'role-store/list-search-walk',
      'role-store/list-search-state',
      'role-store/many',
      'role-store/list-sparse',
      'role-store/list-order',
    ],
  ),
  saboteur(
    'role-store/list-state',
    'a role expires after its instant, not at it',
    () => (store) => ({
      list: (query) => store.list({ ...query, now: (query.now - 1) as Instant }),
    }),
    ['role-store/list-search-state', 'role-store/list-sparse'],
  ),
  saboteur(
    'role-store/list-key',
    'a key does not find a deleted role',
    () => (store) => ({
      list: async (query) => {
        const page = await store.list(query);
        if (query.idempotencyKey === undefined) return page;
        return { ...page, items: page.items.filter(({ deletedAt }) => deletedAt === null) };
      },
    }),
    ['role-store/same-question'],
  ),
  saboteur('role-store/list-search', 'a text is taken as a pattern', () => (store) => ({
    list: (query) => store.list({ ...query, search: query.search?.replaceAll(/[%_]/g, '') }),
  })),
  saboteur('role-store/list-search-walk', 'a short page of a search is the last', () => (store) => ({
    list: async (query) => {
      const page = await store.list(query);
      const last = query.search !== undefined && page.items.length < query.limit;
      return last ? { items: page.items, next: undefined } : page;
    },
  })),
];
