import {
  type ArchiveId,
  type EncodedManifest,
  Fault,
  isFault,
  type Page,
  type Role,
  type RoleId,
  type RoleQuery,
  stateOf,
  type Version,
} from '@pinfold/core';
import { type RoleSaboteur, saboteur } from './subjects.ts';

/** What shows with many, with much, and when somebody asks again. */
export const largeSaboteurs: readonly RoleSaboteur[] = [
  saboteur('role-store/many', 'of roles that ended no more than 1,000 are counted', () => (store) => ({
    countForCleanup: async (request) => {
      const count = await store.countForCleanup(request);
      return { ...count, archives: Math.min(count.archives, 1_000) };
    },
  })),
  saboteur('role-store/many', 'a walk of archives ends after a thousand', () => (store) => ({
    listArchives: async (after, limit) => {
      const first = await store.listArchives(undefined, 1_000);
      const page = await store.listArchives(after, limit);
      return page.filter((id) => first.includes(id));
    },
  })),
  saboteur(
    'role-store/list-sparse',
    'a page ends where a thousand were looked at',
    () => (store) => ({
      list: async (query) => {
        if (query.state !== 'expired' || query.idempotencyKey !== undefined) return await store.list(query);
        const looked = await store.list({ ...query, state: undefined });
        const items = looked.items.filter((role) => stateOf(role, query.now) === 'expired');
        return { items, next: looked.next };
      },
    }),
    ['role-store/list-state'],
  ),
  saboteur('role-store/purge-many', 'no more than 500 are purged at a time', () => (store) => ({
    purge: (begunBefore, limit) => store.purge(begunBefore, Math.min(limit, 500)),
  })),
  saboteur('role-store/commit-large', 'a manifest is cut at 512 KiB', () => (store) => ({
    loadManifest: async (archive, signal) =>
      (await store.loadManifest(archive, signal))?.slice(0, 524_288) as EncodedManifest | undefined,
  })),
  saboteur('role-store/commit-large', 'no more than a hundred warnings are kept', () => (store) => ({
    commit: (publication, lease, events) =>
      store.commit({ ...publication, warnings: publication.warnings.slice(0, 100) }, lease, events),
  })),
  saboteur('role-store/save-versions', 'versions wrap at 256', () => (store) => ({
    load: async (id, signal) => {
      const found = await store.load(id, signal);
      return found && { ...found, version: (found.version % 256) as Version };
    },
    save: async (role, loadedAt, events) => {
      const found = await store.load(role.id);
      if (found === undefined || found.version % 256 !== loadedAt) return { kind: 'conflict' };
      return await store.save(role, found.version, events);
    },
  })),
  saboteur('role-store/list-key', 'a key is looked up over all accounts', () => {
    const first = new Map<string, RoleId>();
    return (store) => ({
      commit: async (publication, lease, events) => {
        const outcome = await store.commit(publication, lease, events);
        const known = first.has(lease.key);
        if (outcome.kind === 'committed' && !known) first.set(lease.key, publication.role.id);
        return outcome;
      },
      list: async (query) => {
        const page = await store.list(query);
        if (query.idempotencyKey === undefined) return page;
        return {
          ...page,
          items: page.items.filter(({ id }) => first.get(query.idempotencyKey ?? '') === id),
        };
      },
    });
  }),
  saboteur('role-store/list-search-state', 'a search does not look at the state', () => (store) => ({
    list: (query) =>
      query.search === undefined || query.state === 'deleted'
        ? store.list(query)
        : store.list({ ...query, state: undefined }),
  })),
  saboteur('role-store/list-search', 'a text is found across title and id', () => (store) => ({
    list: async (query) => {
      const { search } = query;
      if (search === undefined) return await store.list(query);
      const page = await store.list({ ...query, search: undefined });
      const found = ({ title, id }: Role) =>
        `${title?.normalize('NFKC').toLowerCase() ?? ''}${id}`.includes(search);
      const direct = await store.list({ ...query, limit: 100 });
      const items = page.items.filter((role) => found(role) || direct.items.some(({ id }) => id === role.id));
      return { items, next: page.next };
    },
  })),
  saboteur(
    'role-store/commit-whole',
    'a role is listed before it is committed',
    () => {
      const underWay = new Map<RoleId, Role>();
      return (store) => ({
        commit: async (publication, lease, events) => {
          const { role } = publication;
          underWay.set(role.id, role);
          await new Promise((resolve) => setImmediate(resolve));
          const outcome = await store.commit(publication, lease, events);
          underWay.delete(role.id);
          return outcome;
        },
        list: async (query) => withRoles(await store.list(query), query, [...underWay.values()]),
      });
    },
    [],
  ),
  saboteur('role-store/same-question', 'a peer keeps the pages that it gave', () => (store) => {
    const pages = new Map<string, Page<Role>>();
    return {
      list: async (query) => {
        const asked = JSON.stringify(query);
        const page = pages.get(asked) ?? (await store.list(query));
        if (query.state === 'deleted') pages.set(asked, page);
        return page;
      },
    };
  }),
  saboteur(
    'role-store/answers-stay',
    'one set is filled again for each question',
    () => (store) => {
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
    ['role-store/same-question'],
  ),
  saboteur('role-store/manifest-aborted', 'the signal is not looked at', () => (store) => ({
    loadManifest: (archive) => store.loadManifest(archive),
  })),
  saboteur('role-store/lets-go', 'a load goes on listening to its signal', () => (store) => ({
    load: (id, signal) => {
      signal?.addEventListener('abort', () => undefined);
      return store.load(id, signal);
    },
  })),
  saboteur(
    'role-store/lets-go',
    'a manifest goes on listening to a signal that was aborted',
    () => (store) => ({
      loadManifest: async (archive, signal) => {
        const heard = (): void => undefined;
        signal?.addEventListener('abort', heard);
        return await store.loadManifest(archive, signal).finally(() => {
          if (!signal?.aborted) signal?.removeEventListener('abort', heard);
        });
      },
    }),
    ['role-store/manifest-aborted'],
  ),
  saboteur('role-store/unreachable', 'what a driver says comes out as it is', () => (store) => ({
    countForCleanup: (request) =>
      store.countForCleanup(request).catch((error: unknown) => {
        throw isFault(error) ? error.cause : error;
      }),
  })),
  saboteur('role-store/unreachable', 'a fault does not say what caused it', () => (store) => ({
    renew: (lease, until) =>
      store.renew(lease, until).catch((error: unknown) => {
        throw isFault(error) ? new Fault(error.code, error.message) : error;
      }),
  })),
];

function withRoles(page: Page<Role>, { account, search }: RoleQuery, roles: readonly Role[]): Page<Role> {
  if (search !== undefined) return page;
  const own = roles.filter((role) => role.account === account);
  return { ...page, items: [...own, ...page.items.filter(({ id }) => own.every((role) => role.id !== id))] };
}
