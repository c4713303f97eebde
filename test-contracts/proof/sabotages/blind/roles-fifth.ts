import type { Comparison, Instant, Role, RoleId, RoleStore, Title } from '@pinfold/core';
import { foldForSearch } from '@pinfold/core/adapter';
import type { Spoiling } from '../../saboteurs/memory-saboteurs.ts';
import { type Sabotages, waysOf } from '../ways.ts';
import { fifthRoleCleaningSabotages } from './roles-fifth-cleaning.ts';
import { exactly, fifthRoleKeySabotages, folds } from './roles-fifth-keys.ts';
import { change, counts, ends, listed, lists, own, stores } from './roles-fifth-store.ts';

const { answers, asks, does } = waysOf<RoleStore>();

const storing: Sabotages<RoleStore> = {
  'sizes are kept in 32 bits': stores((role) => ({ ...role, size: role.size | 0 })),
  'file names are kept composed': stores((role) => ({
    ...role,
    originalFilename: role.originalFilename.normalize('NFC') as Role['originalFilename'],
  })),
  'password hashes are kept to their 60th character': stores((role) => ({
    ...role,
    passwordHash: (role.passwordHash?.slice(0, 60) ?? null) as Role['passwordHash'],
  })),
  'a saved expiration is kept in whole seconds': asks('save', (role, ...rest) => [
    { ...role, expiresAt: role.expiresAt && Math.floor(role.expiresAt / 1_000) * 1_000 },
    ...rest,
  ]),
  'only a change that the account sees is saved': does('save', async (store, role, loadedAt, ...rest) => {
    const loaded = await store.load(role.id);
    const same = loaded && { ...loaded.value, generation: role.generation };
    const isSame = loaded?.version === loadedAt && JSON.stringify(same) === JSON.stringify(role);
    return isSame ? { kind: 'saved' as const } : store.save(role, loadedAt, ...rest);
  }),
  'a conflict makes another version': own((data) => (sound) => ({
    save: async (role, ...rest) => {
      const outcome = await sound.save(role, ...rest);
      if (outcome.kind === 'conflict') {
        change(data, role.id, ({ version }) => ({ version: (version + 1) as typeof version }));
      }
      return outcome;
    },
  })),
  'the generation of the account is that of the role': answers(
    'load',
    (loaded) => loaded && { ...loaded, accountGeneration: loaded.value.generation },
  ),
  'each handle remembers which roles there are not': () => (store) => {
    const absent = new Set<RoleId>();
    return {
      load: async (id, signal) => {
        signal?.throwIfAborted();
        const loaded = absent.has(id) ? undefined : await store.load(id, signal);
        if (loaded === undefined) absent.add(id);
        return loaded;
      },
      commit: (publication, ...rest) => {
        absent.delete(publication.role.id);
        return store.commit(publication, ...rest);
      },
    };
  },
  'an abort for what is no error is told as one': does('load', (store, id, signal) =>
    store.load(id, signal).catch((error: unknown) => {
      throw error instanceof Error ? error : new Error(String(error));
    }),
  ),
  'the signal is looked at where there is a manifest': does(
    'loadManifest',
    async (store, archive, signal) => {
      const found = await store.loadManifest(archive);
      return found && store.loadManifest(archive, signal);
    },
  ),
  'a load of no role goes on listening': does('load', async (store, id, signal) => {
    const loaded = await store.load(id, signal);
    if (loaded === undefined) signal?.addEventListener('abort', () => undefined);
    return loaded;
  }),
  'manifests are kept as JSON': answers('loadManifest', (text) => {
    try {
      return text && (JSON.stringify(JSON.parse(text)) as typeof text);
    } catch {
      return text;
    }
  }),
  'a comparison that was loaded follows the next ones': () => {
    const kept: { value?: Comparison } = {};
    return (store) => ({
      loadComparison: async () => {
        const found = await store.loadComparison();
        if (found === undefined) return undefined;
        kept.value = Object.assign(kept.value ?? {}, found.value);
        return { ...found, value: kept.value };
      },
    });
  },
  'whether a comparison is refused is kept once': own((data) => (sound) => ({
    keepComparison: (comparison, loadedAt) => {
      const { isRefused } = data.comparison?.value ?? comparison;
      return sound.keepComparison({ ...comparison, isRefused }, loadedAt);
    },
  })),
};

/** Finds titles that were removed. */
const remembersTitles: Spoiling<RoleStore> = own((data) => {
  const titles = new Map<RoleId, Title>();
  const told = ({ id, title }: Role) => title === null || titles.set(id, title);
  return (sound) => ({
    commit: async (publication, ...rest) => {
      told(publication.role);
      return sound.commit(publication, ...rest);
    },
    save: async (role, ...rest) => {
      told(role);
      return sound.save(role, ...rest);
    },
    list: async (query) =>
      listed(data, query, (role) => ({ ...role, title: role.title ?? titles.get(role.id) ?? null })),
  });
});

const listing: Sabotages<RoleStore> = {
  'a backslash in a search is dropped': asks('list', (query) => [
    { ...query, search: query.search?.replaceAll('\\', '') },
  ]),
  'titles are searched in lower case alone': lists((role) =>
    role.title !== null && foldForSearch(role.title) !== role.title.toLowerCase()
      ? { ...role, title: null }
      : role,
  ),
  'id and title are searched as one text': lists((role) => ({
    ...role,
    title: `${role.id} ${role.title ?? ''}` as Title,
  })),
  'a title that was removed is found': remembersTitles,
  'a search finds deleted roles': lists((role, { search, state }) =>
    search !== undefined && state === undefined ? { ...role, deletedAt: null } : role,
  ),
  'an id that is searched is found in every account': lists((role, { search, account }) =>
    search !== undefined && role.id.includes(search) ? { ...role, account: account ?? role.account } : role,
  ),
  'a key finds its role in the wanted state': answers('list', (page, { idempotencyKey, state, now }) => {
    const isOf = ({ deletedAt, expiresAt }: Role) =>
      (deletedAt !== null ? 'deleted' : (expiresAt ?? now + 1) <= now ? 'expired' : 'published') === state;
    return idempotencyKey && state ? { ...page, items: page.items.filter(isOf) } : page;
  }),
  'what once was seen expired stays so': own((data) => {
    const seen = new Set<RoleId>();
    return () => ({
      list: async (query) => {
        for (const { role } of data.roles.values()) {
          if ((role.expiresAt ?? query.now + 1) <= query.now) seen.add(role.id);
        }
        return listed(data, query, (role) =>
          seen.has(role.id) ? { ...role, expiresAt: 0 as Instant } : role,
        );
      },
    });
  }),
};

/** Those of the fifth round. */
export const fifthRoleSabotages: Sabotages<RoleStore> = {
  ...storing,
  ...listing,
  ...fifthRoleKeySabotages,
  ...fifthRoleCleaningSabotages,
};

/** What they are made from, with nothing wrong. */
export const soundFifthRoles: Sabotages<RoleStore> = {
  'a store over data in reach': own(() => () => ({})),
  'keys that are folded into themselves': folds(exactly),
  'lists of roles as they are': lists((role) => role),
  'quotas of roles as they are': counts((role) => role),
  'ends of roles as they are': ends((role) => role),
};
