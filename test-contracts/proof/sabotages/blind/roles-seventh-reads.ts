import type {
  ArchiveId,
  EncodedManifest,
  Filename,
  LoadedRole,
  Role,
  RoleId,
  RoleStore,
  Title,
  Version,
} from '@pinfold/core';
import { titleFolded } from '@pinfold/core/adapter';
import { type Sabotages, waysOf } from '../ways.ts';
import { listing } from './roles-seventh-ways.ts';

const { answers, asks, does } = waysOf<RoleStore>();

const LIKE: Readonly<Record<string, string>> = { '%': '.*', _: '.' };

/** As a pattern of LIKE has it. */
function isLike(text: string, pattern: string): boolean {
  const signs = [...pattern].map((sign) => LIKE[sign] ?? sign.replace(/[\\^$.*+?()[\]{}|]/u, '\\$&'));
  return new RegExp(`^${signs.join('')}$`, 'u').test(text);
}

/** What may be wrong with loading, saving and listing. */
export const seventhRoleReads: Sabotages<RoleStore> = {
  'load: has only errors for reasons': does('load', (store, id, signal) =>
    store.load(id, signal).catch((error: unknown) => {
      throw signal?.aborted && !(error instanceof Error) ? new Error(String(error)) : error;
    }),
  ),
  'load: answers with one object for each role': () => (store) => {
    const held = new Map<RoleId, LoadedRole>();
    return {
      load: async (id, signal) => {
        const loaded = await store.load(id, signal);
        if (loaded === undefined) return undefined;
        const known = held.get(id) ?? loaded;
        held.set(id, Object.assign(known, loaded, { value: Object.assign(known.value, loaded.value) }));
        return known;
      },
    };
  },
  'load: has the generation of the role for that of the account': answers(
    'load',
    (loaded) => loaded && { ...loaded, accountGeneration: loaded.value.generation },
  ),
  'commit: has file names in NFC': asks('commit', (publication, ...rest) => {
    const originalFilename = publication.role.originalFilename.normalize('NFC') as Filename;
    return [{ ...publication, role: { ...publication.role, originalFilename } }, ...rest];
  }),
  'loadManifest: does not look at its signal where it has nothing': does(
    'loadManifest',
    async (store, archive, signal) => {
      const manifest = await store.loadManifest(archive);
      if (manifest !== undefined) signal?.throwIfAborted();
      return manifest;
    },
  ),
  'loadManifest: remembers what never changes': () => (store) => {
    const known = new Map<ArchiveId, EncodedManifest>();
    return {
      loadManifest: async (archive, signal) => {
        signal?.throwIfAborted();
        const manifest = known.get(archive) ?? (await store.loadManifest(archive, signal));
        if (manifest !== undefined) known.set(archive, manifest);
        return manifest;
      },
    };
  },
  'loadManifest: goes on listening where it fails': does('loadManifest', async (store, archive, signal) => {
    const stop = (): void => undefined;
    signal?.addEventListener('abort', stop);
    const manifest = await store.loadManifest(archive, signal);
    signal?.removeEventListener('abort', stop);
    return manifest;
  }),
  'save: leaves a password that is to go': does('save', async (store, role, ...rest) => {
    const loaded = await store.load(role.id);
    const passwordHash = role.passwordHash ?? loaded?.value.passwordHash ?? null;
    return store.save({ ...role, passwordHash }, ...rest);
  }),
  'save: has a version for what a role is, whenever it is that': () => {
    const claims = new Map<RoleId, number>();
    const versions = new Map<string, Version>();
    const versionOf = ({ value }: LoadedRole): Version => {
      const content = JSON.stringify([Object.entries(value).sort(), claims.get(value.id)]);
      const version = versions.get(content) ?? ((versions.size + 1) as Version);
      versions.set(content, version);
      return version;
    };
    return (store) => ({
      load: async (id, signal) => {
        const loaded = await store.load(id, signal);
        return loaded && { ...loaded, version: versionOf(loaded) };
      },
      save: async (role, loadedAt, ...rest) => {
        const loaded = await store.load(role.id);
        if (loaded === undefined || versionOf(loaded) !== loadedAt) return { kind: 'conflict' };
        return store.save(role, loaded.version, ...rest);
      },
      claimForCleanup: async (request) => {
        const tasks = await store.claimForCleanup(request);
        for (const { role } of tasks) claims.set(role, (claims.get(role) ?? 0) + 1);
        return tasks;
      },
    });
  },
  'save: has eight bits for a version': () => (store) => ({
    load: async (id, signal) => {
      const loaded = await store.load(id, signal);
      return loaded && { ...loaded, version: (loaded.version % 256) as Version };
    },
    save: async (role, loadedAt, ...rest) => {
      const loaded = await store.load(role.id);
      if (loaded === undefined || loaded.version % 256 !== loadedAt) return { kind: 'conflict' };
      return store.save(role, loaded.version, ...rest);
    },
  }),
  'list: never asks for more than a hundred to see whether there are more': answers('list', (page, query) =>
    query.limit === 100 ? { ...page, next: undefined } : page,
  ),
  'list: takes an empty page of a search for the last': answers('list', (page, { search }) =>
    search !== undefined && page.items.length === 0 ? { items: [], next: undefined } : page,
  ),
  'list: finds nothing by fewer than three characters': answers('list', (page, { search }) =>
    search !== undefined && [...search].length < 3 ? { items: [], next: undefined } : page,
  ),
  'list: searches ids without a title nowhere': answers('list', ({ items, next }, { search }) => ({
    items: items.filter(({ title }) => search === undefined || title !== null),
    next,
  })),
  'list: finds by a title that was taken away': () => {
    const titles = new Map<RoleId, Title | null>();
    const keep = ({ id, title }: Role): void => {
      if (title !== null) titles.set(id, title);
    };
    return (store) => ({
      commit: async (publication, lease, events) => {
        const outcome = await store.commit(publication, lease, events);
        if (outcome.kind === 'committed' && !titles.has(publication.role.id)) keep(publication.role);
        return outcome;
      },
      save: async (role, ...rest) => {
        const outcome = await store.save(role, ...rest);
        if (outcome.kind === 'saved') keep(role);
        return outcome;
      },
      list: listing(store, {
        holds: ({ id, title }, search) =>
          id.includes(search) || titleFolded({ title: title ?? titles.get(id) ?? null }).includes(search),
      }),
    });
  },
  'list: finds ids whatever else was asked': () => (store) => ({
    list: listing(store, {
      fitsElse: ({ id }, { search, idempotencyKey }) =>
        search !== undefined && idempotencyKey === undefined && id.includes(search),
    }),
  }),
  'list: has among the expired what expired after it was deleted': () => (store) => ({
    list: listing(store, {
      isIn: ({ deletedAt, expiresAt }, { state, now }) => {
        const isExpired = expiresAt !== null && expiresAt <= now;
        if (state === 'expired') return isExpired;
        return state === 'deleted' ? deletedAt !== null : deletedAt === null && !(state && isExpired);
      },
    }),
  }),
  'list: owns what accounts of a longer name have': () => (store) => ({
    list: listing(store, {
      owns: (role, { account }) => account === undefined || role.account.startsWith(account),
    }),
  }),
  'list: takes a key for a pattern': () => (store) => ({
    list: listing(store, {
      hasKey: (role, { idempotencyKey }) => isLike(role.idempotencyKey, idempotencyKey ?? ''),
    }),
  }),
};
