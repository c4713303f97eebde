import { type ArchiveId, type Role, type RoleId, type RoleStore, stateOf } from '@pinfold/core';
import { titleFolded } from '@pinfold/core/adapter';
import { type Sabotages, waysOf } from '../ways.ts';
import { listing } from './roles-walk.ts';

const { answers, asks } = waysOf<RoleStore>();

export const blindListSabotages: Sabotages<RoleStore> = {
  'a full page is followed by another, if an empty one': answers('list', (page, { limit }) => {
    const last = page.items.at(-1);
    if (page.next !== undefined || last === undefined || page.items.length < limit) return page;
    return { ...page, next: { publishedAt: last.publishedAt, id: last.id } };
  }),
  'what is older comes behind a cursor only with a lower id': listing({
    isBehind: (cursor, role) => role.publishedAt <= cursor.publishedAt && role.id < cursor.id,
  }),
  'a role without an expiration is never in the state published': listing({
    isInState: (role, { state, now }) => {
      const present = stateOf(role, now);
      if (state === undefined) return present !== 'deleted';
      return present === state && !(state === 'published' && role.expiresAt === null);
    },
  }),
  'the state is looked at after a page was taken': listing({ filtersLate: true }),
  'a key finds its role only in the state that is asked for too': answers(
    'list',
    (page, { idempotencyKey, state, now }) =>
      idempotencyKey === undefined || state === undefined
        ? page
        : { ...page, items: page.items.filter((role) => stateOf(role, now) === state) },
  ),
  'a key is looked up without regard to case': () => {
    const keys = new Map<string, Role['idempotencyKey']>();
    const nameOf = (account: string | undefined, key: string): string =>
      JSON.stringify([account ?? null, key.toLowerCase()]);
    return (store) => ({
      commit: async (publication, lease, events) => {
        const outcome = await store.commit(publication, lease, events);
        const { account, idempotencyKey } = publication.role;
        if (outcome.kind === 'committed') keys.set(nameOf(account, idempotencyKey), idempotencyKey);
        return outcome;
      },
      list: async (query) => {
        const { account, idempotencyKey } = query;
        if (idempotencyKey === undefined) return await store.list(query);
        const known = keys.get(nameOf(account, idempotencyKey));
        return await store.list({ ...query, idempotencyKey: known ?? idempotencyKey });
      },
    });
  },
  'a backslash in a search is an escape': asks('list', (query) => [
    { ...query, search: query.search?.replace(/\\(.?)/g, '$1') },
  ]),
  'titles are folded by lower case alone': listing({
    isFound: ({ id, title }, search) => id.includes(search) || (title ?? '').toLowerCase().includes(search),
  }),
  'title and id are searched as one text': listing({
    isFound: (role, search) => `${titleFolded(role)}${role.id}`.includes(search),
  }),
  'a title that was removed is still found': () => {
    const titled = new Map<RoleId, Role>();
    const note = (role: Role): void => {
      if (role.title !== null) titled.set(role.id, role);
    };
    const found = listing({
      isFound: (role, search) =>
        role.id.includes(search) || titleFolded(titled.get(role.id) ?? role).includes(search),
    })();
    return (store) => ({
      ...found(store),
      commit: async (publication, lease, events) => {
        const outcome = await store.commit(publication, lease, events);
        if (outcome.kind === 'committed') note(publication.role);
        return outcome;
      },
      save: async (role, loadedAt, events, authority) => {
        const outcome = await store.save(role, loadedAt, events, authority);
        if (outcome.kind === 'saved') note(role);
        return outcome;
      },
    });
  },
  'a cursor whose role is not in the list any more ends it': () => (store) => ({
    list: async (query) => {
      const page = await store.list(query);
      if (query.after === undefined) return page;
      const role = (await store.load(query.after.id))?.value;
      const present = role && stateOf(role, query.now);
      const isListed = query.state === undefined ? present !== 'deleted' : present === query.state;
      return isListed ? page : { items: [], next: undefined };
    },
  }),
  'the archives that are named are answered in one set, filled anew': () => (store) => {
    const named = new Set<ArchiveId>();
    return {
      whichAreNamed: async (ids) => {
        const present = await store.whichAreNamed(ids);
        named.clear();
        for (const id of present) named.add(id);
        return named;
      },
    };
  },
  'a key does not find its role once the archive was removed': () => {
    const removed = new Set<RoleId>();
    return (store) => ({
      settleCleanup: async (task, outcome, events) => {
        await store.settleCleanup(task, outcome, events);
        if (outcome.kind === 'removed') removed.add(task.role);
      },
      list: async (query) => {
        const page = await store.list(query);
        if (query.idempotencyKey === undefined) return page;
        return { ...page, items: page.items.filter(({ id }) => !removed.has(id)) };
      },
    });
  },
};
