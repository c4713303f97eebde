import { isDeepStrictEqual } from 'node:util';
import {
  type ArchiveId,
  type Page,
  type Role,
  type RoleId,
  type RoleQuery,
  type RoleStore,
  stateOf,
  type Token,
  type Version,
} from '@pinfold/core';
import { foldForSearch, pageOf, titleFolded } from '@pinfold/core/adapter';
import type { Spoiling } from '../../saboteurs/memory-saboteurs.ts';
import { type Sabotages, waysOf } from '../ways.ts';
import { cleaning, fourthRoleCleaning } from './roles-fourth-cleaning.ts';
import { confuses, counting, fourthRoleKeys, purges } from './roles-fourth-keys.ts';

const { does, answers, asks } = waysOf<RoleStore>();
const SAVED = { kind: 'saved' } as const;
const CONFLICT = { kind: 'conflict' } as const;
const MANY = Number.MAX_SAFE_INTEGER;

/** Everything that a query matches, on no page. */
async function all(store: RoleStore, query: RoleQuery): Promise<Role[]> {
  const roles: Role[] = [];
  let page: Page<Role> = { items: [], next: query.after };
  do {
    page = await store.list({ ...query, after: page.next, limit: MANY });
    roles.push(...page.items);
  } while (page.next);
  return roles;
}

const byPlace = (one: Role, other: Role) =>
  other.publishedAt - one.publishedAt || (one.id > other.id ? -1 : 1);

/** Role by role what a handle keeps, or all of them. */
const OF_A_ROLE: Sabotages<RoleStore> = {
  'a role that was not there stays away': () => (store) => {
    const absent = new Set<RoleId>();
    return {
      load: async (id, signal) => {
        const loaded = absent.has(id) ? undefined : await store.load(id, signal);
        if (loaded === undefined) absent.add(id);
        return loaded;
      },
    };
  },
  'a signal is looked at where a role was found': does('load', async (store, id, signal) => {
    const loaded = await store.load(id);
    if (loaded) signal?.throwIfAborted();
    return loaded;
  }),
  'a handle knows the version that it saved': () => (store) => {
    const saved = new Map<RoleId, Version>();
    return {
      load: async (id, signal) => {
        const loaded = await store.load(id, signal);
        return loaded && { ...loaded, version: saved.get(id) ?? loaded.version };
      },
      save: async (...inputs) => {
        const outcome = await store.save(...inputs);
        if (outcome.kind === 'saved') saved.set(inputs[0].id, (inputs[1] + 1) as Version);
        return outcome;
      },
    };
  },
  'the generation of an account is that of the role': answers(
    'load',
    (loaded) => loaded && { ...loaded, accountGeneration: loaded.value.generation },
  ),
  'who loads nothing goes on listening': does('load', async (store, id, signal) => {
    const heard = () => undefined;
    signal?.addEventListener('abort', heard);
    const loaded = await store.load(id, signal);
    if (loaded) signal?.removeEventListener('abort', heard);
    return loaded;
  }),
  'a password is kept that was taken away': does('save', async (store, role, ...rest) => {
    const known = await store.load(role.id);
    return store.save(
      { ...role, passwordHash: role.passwordHash ?? known?.value.passwordHash ?? null },
      ...rest,
    );
  }),
  'a role that was changed in nothing stays at its version': does(
    'save',
    async (store, role, loadedAt, ...rest) => {
      const known = await store.load(role.id);
      const isSame = known?.version === loadedAt && isDeepStrictEqual(known.value, role);
      return isSame ? SAVED : store.save(role, loadedAt, ...rest);
    },
  ),
  'a version is what the role says': () => {
    const versions = new Map<string, number>();
    const claims = new Map<RoleId, number>();
    const versionOf = (role: Role): Version => {
      const content = JSON.stringify([role, claims.get(role.id)]);
      if (!versions.has(content)) versions.set(content, versions.size + 1);
      return versions.get(content) as Version;
    };
    return (store) => ({
      load: async (id, signal) => {
        const loaded = await store.load(id, signal);
        return loaded && { ...loaded, version: versionOf(loaded.value) };
      },
      save: async (role, loadedAt, ...rest) => {
        const known = await store.load(role.id);
        if (known === undefined || versionOf(known.value) !== loadedAt) return CONFLICT;
        return store.save(role, known.version, ...rest);
      },
      claimForCleanup: async (request) => {
        const tasks = await store.claimForCleanup(request);
        for (const { role } of tasks) claims.set(role, (claims.get(role) ?? 0) + 1);
        return tasks;
      },
    });
  },
  'a stopped role is not saved': does('save', async (store, role, ...rest) => {
    const known = await store.load(role.id);
    return known && known.value.deletedAt !== null ? CONFLICT : store.save(role, ...rest);
  }),
  'a title loses the spaces at its end': asks('save', (role, ...rest) => [
    { ...role, title: role.title?.trimEnd() ?? null },
    ...rest,
  ]),
  'an archive that was removed is named once its role is saved': () => {
    const removed = new Set<RoleId>();
    const named = new Set<ArchiveId>();
    return (store) => ({
      settleCleanup: async (task, outcome, events) => {
        await store.settleCleanup(task, outcome, events);
        if ((await store.loadManifest(task.archive)) === undefined) removed.add(task.role);
      },
      save: async (role, ...rest) => {
        const outcome = await store.save(role, ...rest);
        if (outcome.kind === 'saved' && removed.has(role.id)) named.add(role.archive);
        return outcome;
      },
      whichAreNamed: async (ids) =>
        new Set([...(await store.whichAreNamed(ids)), ...ids.filter((id) => named.has(id))]),
    });
  },
  'a reason that is no error is told as one': does('loadManifest', (store, archive, signal) =>
    store.loadManifest(archive, signal).catch((error: unknown) => {
      throw error instanceof Error ? error : new Error(String(error));
    }),
  ),
};

const OF_LISTS: Sabotages<RoleStore> = {
  'a page goes on at lower ids alone': does('list', async (store, query) => {
    const roles = await all(store, { ...query, after: undefined });
    const { after } = query;
    const isBehind = ({ publishedAt, id }: Role) =>
      !after || (publishedAt <= after.publishedAt && id < after.id);
    return pageOf(roles.filter(isBehind), query.limit);
  }),
  'a key finds its role in the state that is asked for': answers('list', (page, { state, now }) => ({
    ...page,
    items: page.items.filter((role) => state === undefined || stateOf(role, now) === state),
  })),
  'a backslash of a search says nothing': asks('list', (query) => [
    { ...query, search: query.search?.replaceAll('\\', '') },
  ]),
  'a title that was taken away is found': () => {
    const titles = new Map<RoleId, string>();
    const keep = (role: Role) => role.title !== null && titles.set(role.id, titleFolded(role));
    return (store) => ({
      commit: (publication, ...rest) => {
        keep(publication.role);
        return store.commit(publication, ...rest);
      },
      save: (role, ...rest) => {
        keep(role);
        return store.save(role, ...rest);
      },
      list: async (query) => {
        const { search } = query;
        if (search === undefined) return store.list(query);
        const roles = await all(store, { ...query, search: undefined });
        const textOf = (role: Role) => (role.title === null ? titles.get(role.id) : titleFolded(role)) ?? '';
        return pageOf(
          roles.filter((role) => role.id.includes(search) || textOf(role).includes(search)),
          query.limit,
        );
      },
    });
  },
  'a search finds the ids of every account': does('list', async (store, query) => {
    const { search, idempotencyKey } = query;
    if (search === undefined || idempotencyKey !== undefined) return store.list(query);
    const own = await all(store, query);
    const others = await all(store, { ...query, account: undefined });
    const found = others.filter(({ id }) => id.includes(search) && own.every((role) => role.id !== id));
    return pageOf([...own, ...found].sort(byPlace), query.limit);
  }),
  'a title is folded character by character': answers('list', (page, { search, idempotencyKey }) => ({
    ...page,
    items: page.items.filter(
      ({ id, title }) =>
        search === undefined ||
        idempotencyKey !== undefined ||
        id.includes(search) ||
        [...(title ?? '')].map(foldForSearch).join('').includes(search),
    ),
  })),
  'a page ends at a cursor whose role was stopped': does('list', async (store, query) => {
    const last = query.after && (await store.load(query.after.id));
    return last && last.value.deletedAt !== null && query.state !== 'deleted'
      ? { items: [], next: undefined }
      : store.list(query);
  }),
  'archives of one instant are one to the walk': does('listArchives', async (store, after, limit) =>
    (await store.listArchives(undefined, MANY))
      .filter((id) => after === undefined || id.slice(0, 13) > after.slice(0, 13))
      .slice(0, limit),
  ),
  'a walk after an archive that is not named begins anew': does(
    'listArchives',
    async (store, after, limit) => {
      const named = await store.listArchives(undefined, MANY);
      const start = after === undefined ? 0 : named.indexOf(after) + 1;
      return named.slice(start, start + limit);
    },
  ),
  'a handle has one set of names': () => (store) => {
    const named = new Set<ArchiveId>();
    return {
      whichAreNamed: async (ids) => {
        const found = await store.whichAreNamed(ids);
        named.clear();
        for (const id of found) named.add(id);
        return named;
      },
    };
  },
  'nobody is asked which of no archives are named': does('whichAreNamed', async (store, ids) =>
    ids.length === 0 ? new Set() : store.whichAreNamed(ids),
  ),
};

const settlesAtItsVersion: Spoiling<RoleStore> = () => {
  const versions = new Map<Token, Map<RoleId, Version | undefined>>();
  return (store) => ({
    claimForCleanup: async (request) => {
      const tasks = await store.claimForCleanup(request);
      const loaded = tasks.map(async ({ role }) => [role, (await store.load(role))?.version] as const);
      versions.set(request.token, new Map(await Promise.all(loaded)));
      return tasks;
    },
    settleCleanup: async (task, outcome, events) => {
      const version = versions.get(task.token)?.get(task.role);
      const isSame = (await store.load(task.role))?.version === version;
      if (isSame || outcome.kind === 'failed') await store.settleCleanup(task, outcome, events);
    },
  });
};

export const fourthRoleSabotages: Sabotages<RoleStore> = {
  ...OF_A_ROLE,
  ...OF_LISTS,
  ...fourthRoleKeys,
  ...fourthRoleCleaning,
  'a claim is not settled as removed that is older than a change': settlesAtItsVersion,
  'a comparison keeps how far it came when it begins anew': does(
    'keepComparison',
    async (store, comparison, loadedAt) => {
      const upTo = comparison.upTo ?? (await store.loadComparison())?.value.upTo ?? null;
      return store.keepComparison({ ...comparison, upTo }, loadedAt);
    },
  ),
  'the version of a comparison is when it was kept': () => (store) => ({
    loadComparison: async () => {
      const found = await store.loadComparison();
      return found && { ...found, version: found.value.keptAt as number as Version };
    },
    keepComparison: async (comparison, loadedAt) => {
      const found = await store.loadComparison();
      if ((found?.value.keptAt as number | undefined) !== loadedAt) return CONFLICT;
      const outcome = await store.keepComparison(comparison, found?.version);
      return outcome.kind === 'kept'
        ? { kind: 'kept', version: comparison.keptAt as number as Version }
        : outcome;
    },
  }),
};

/** What they are made from, with nothing wrong. */
export const soundRoles: Sabotages<RoleStore> = {
  'a cleanup of its own': cleaning({}),
  'names of its own': confuses((known, asked) => known.account === asked.account && known.key === asked.key),
  'notes of its own': purges(({ now }, before) => now < before),
  'quotas of its own': counting(({ archiveBytes }) => ({ sites: 1, bytes: archiveBytes })),
  'pages of its own': does('list', async (store, query) => pageOf(await all(store, query), query.limit)),
};
