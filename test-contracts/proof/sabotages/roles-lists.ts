import {
  after,
  before,
  duration,
  type Instant,
  type Page,
  type Role,
  type RoleCursor,
  type RoleId,
  type RoleQuery,
  type RoleStore,
  stateOf,
} from '@pinfold/core';
import type { Spoiling } from '../saboteurs/memory-saboteurs.ts';
import { type Sabotages, waysOf } from './ways.ts';

const { answers, asks, coversUp, does, isCurtIn, isRawIn, keeps } = waysOf<RoleStore>();

const MOMENT = duration(1);
const NOTHING: Page<Role> = { items: [], next: undefined };

/** Lists something else than was asked for. */
function looksFor(change: (query: RoleQuery) => Partial<RoleQuery>): Spoiling<RoleStore> {
  return asks('list', (query) => [{ ...query, ...change(query) }]);
}

/** Lists other items. */
function lists(change: (items: readonly Role[], query: RoleQuery) => readonly Role[]): Spoiling<RoleStore> {
  return answers('list', (page, query) => ({ ...page, items: change(page.items, query) }));
}

/** Goes on elsewhere than behind the last. */
function goesOn(change: (next: RoleCursor, page: Page<Role>) => RoleCursor | undefined): Spoiling<RoleStore> {
  return answers('list', (page) => ({ ...page, next: page.next && change(page.next, page) }));
}

export const listSabotages: Sabotages<RoleStore> = {
  'a list is the oldest first': lists((items) => items.toReversed()),
  'a list is in the order of ids': lists((items) => items.toSorted((one, two) => (one.id < two.id ? -1 : 1))),
  'roles of one instant are in the order of ids': lists((items) =>
    items.toSorted((one, two) => two.publishedAt - one.publishedAt || (one.id < two.id ? -1 : 1)),
  ),
  'roles of one instant are one': lists((items) =>
    items.filter(({ publishedAt }, n) => items[n - 1]?.publishedAt !== publishedAt),
  ),
  'a list has one role less': lists((items) => items.slice(0, -1)),
  'a list has one role more than the limit': looksFor(({ limit }) => ({ limit: limit + 1 })),
  'a list has 50 roles at most': looksFor(({ limit }) => ({ limit: Math.min(limit, 50) })),
  'the last page has another behind it': answers('list', (page) => {
    const last = page.items.at(-1);
    return page.next !== undefined || last === undefined ? page : { ...page, next: last };
  }),
  'the first page is the last': goesOn(() => undefined),
  'a page goes on behind the instant': goesOn((next) => ({ ...next, id: '0' as RoleId })),
  'a page goes on at the last': goesOn((next) => ({ ...next, id: `${next.id}~` as RoleId })),
  'a page goes on a millisecond later': goesOn((next) => ({
    ...next,
    publishedAt: before(next.publishedAt, MOMENT),
  })),
  'a walk ends after ten pages': () => (store) => {
    let pages = 0;
    return {
      list: async (query) => {
        pages = query.after === undefined ? 1 : pages + 1;
        const page = await store.list(query);
        return pages < 10 ? page : { ...page, next: undefined };
      },
    };
  },
  'a walk ends after a thousand': () => (store) => {
    let seen = 0;
    return {
      list: async (query) => {
        const page = await store.list(query);
        seen = (query.after === undefined ? 0 : seen) + page.items.length;
        return seen < 1_000 ? page : { ...page, next: undefined };
      },
    };
  },
  'a list has roles of other accounts': does('list', async (store, query) => {
    const page = await store.list(query);
    const theirs = await store.list({
      ...query,
      account: query.account?.toLowerCase() as typeof query.account,
    });
    return page.items.length === 0 ? theirs : page;
  }),
  'accounts are trimmed in lists': looksFor(({ account }) => ({
    account: account?.trim() as typeof account,
  })),
  'lists are kept': keeps('list'),
  'a list without a state has what is deleted, too': does('list', async (store, query) => {
    const page = await store.list(query);
    if (query.state !== undefined || query.idempotencyKey !== undefined) return page;
    const deleted = await store.list({ ...query, state: 'deleted' });
    return { ...page, items: [...page.items, ...deleted.items] };
  }),
  'a list without a state has only what is published': looksFor(({ state, idempotencyKey }) => ({
    state: state ?? (idempotencyKey === undefined ? 'published' : undefined),
  })),
  'what is expired is published': looksFor(({ state, now }) => ({
    now: state === 'published' ? (0 as Instant) : now,
  })),
  'a state is judged a millisecond early': looksFor(({ now }) => ({ now: before(now, MOMENT) })),
  'a state is judged a millisecond late': looksFor(({ now }) => ({ now: after(now, MOMENT) })),
  'a state is judged by the clock of the host': looksFor(() => ({ now: Date.now() as Instant })),
  'what is deleted and expired is expired': does('list', async (store, query) => {
    if (query.state !== 'deleted') return await store.list(query);
    const page = await store.list(query);
    return {
      ...page,
      items: page.items.filter(({ expiresAt }) => expiresAt === null || expiresAt > query.now),
    };
  }),
  'what is pinned is not expired, deleted or not': lists((items, { state }) =>
    state === 'deleted' ? items.filter(({ pinned }) => !pinned) : items,
  ),
  'only the first hundred are looked at for a state': does('list', async (store, query) => {
    if (query.state === undefined) return await store.list(query);
    const first = await store.list({ ...query, state: undefined, after: undefined, limit: 100 });
    const deleted = query.state === 'deleted';
    const page = await store.list(query);
    return deleted
      ? page
      : { ...page, items: page.items.filter(({ id }) => first.items.some((role) => role.id === id)) };
  }),
  'a key finds what is published': lists((items, { idempotencyKey, now }) =>
    idempotencyKey === undefined ? items : items.filter((role) => stateOf(role, now) === 'published'),
  ),
  'a key finds whatever begins with it': does('list', async (store, query) => {
    const { idempotencyKey } = query;
    if (idempotencyKey === undefined) return await store.list(query);
    const all = await store.list({ ...query, idempotencyKey: undefined, after: undefined });
    const found = await store.list(query);
    const near = all.items.filter((role) => role.idempotencyKey.startsWith(idempotencyKey));
    return found.items.length > 0 ? found : { items: near.slice(0, 1), next: undefined };
  }),
  'a key is found whatever its case': looksFor(({ idempotencyKey }) => ({
    idempotencyKey: idempotencyKey?.toLowerCase() as RoleQuery['idempotencyKey'],
  })),
  'a key is not looked at': looksFor(() => ({ idempotencyKey: undefined })),
  'a key finds nothing': lists((items, { idempotencyKey }) => (idempotencyKey === undefined ? items : [])),
  'a text is not looked for': looksFor(() => ({ search: undefined })),
  'a text is found in titles alone': lists((items, { search }) =>
    search === undefined ? items : items.filter(({ id }) => !id.includes(search)),
  ),
  'a text is found in ids alone': lists((items, { search }) =>
    search === undefined ? items : items.filter(({ id }) => id.includes(search)),
  ),
  'a text is found at the beginning': lists((items, { search }) =>
    search === undefined
      ? items
      : items.filter(
          ({ id, title }) =>
            id.includes(search) || (title ?? '').normalize('NFKC').toLowerCase().startsWith(search),
        ),
  ),
  'a text is trimmed': looksFor(({ search }) => ({
    search: search?.replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''),
  })),
  'a text is a pattern of SQL': looksFor(({ search }) => ({ search: search?.replaceAll(/[%_]/g, '') })),
  'a text is a pattern of a shell': looksFor(({ search }) => ({ search: search?.replaceAll(/[*[\]]/g, '') })),
  'a backslash is an escape': looksFor(({ search }) => ({ search: search?.replaceAll('\\', '') })),
  'only ASCII is searched for': looksFor(({ search }) => ({ search: search?.replaceAll(/[^ -~]/g, '') })),
  'a search has one page': answers('list', (page, { search }) =>
    search === undefined ? page : { ...page, next: undefined },
  ),
  'a search does not look at the state': looksFor(({ search, state }) => ({
    state: search === undefined ? state : undefined,
  })),
  'a search looks at what is published': looksFor(({ search, state }) => ({
    state: search === undefined ? state : 'published',
  })),
  'a search begins anew with each page': looksFor(({ search, after: place }) => ({
    after: search === undefined ? place : undefined,
  })),
  'a search ends at a page of nothing': answers('list', (page, { search }) =>
    search !== undefined && page.items.length === 0 ? { ...page, next: undefined } : page,
  ),
  'a store that does not answer lists nothing': coversUp('list', NOTHING),
  'a fault of a list has no cause': isCurtIn('list'),
  'what fails in a list comes out raw': isRawIn('list'),
};
