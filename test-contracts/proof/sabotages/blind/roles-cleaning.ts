import {
  type ArchiveId,
  type CleanupTask,
  Fault,
  type Instant,
  type Role,
  type RoleId,
  type RoleStore,
  type Version,
} from '@pinfold/core';
import type { Spoiling } from '../../saboteurs/memory-saboteurs.ts';
import { type Sabotages, waysOf } from '../ways.ts';
import { noting } from './roles-ledger.ts';

const { answers, does } = waysOf<RoleStore>();

/** Stores a saved role otherwise than it answers it. */
function storing(change: (role: Role) => Role): Spoiling<RoleStore> {
  return () => {
    const saved = new Map<RoleId, Role>();
    const asSaved = (role: Role): Role => saved.get(role.id) ?? role;
    return (store) => ({
      save: async (role, loadedAt, events, authority) => {
        const outcome = await store.save(change(role), loadedAt, events, authority);
        if (outcome.kind === 'saved') saved.set(role.id, role);
        return outcome;
      },
      load: async (id, signal) => {
        const loaded = await store.load(id, signal);
        return loaded && { ...loaded, value: asSaved(loaded.value) };
      },
      list: async (query) => {
        const page = await store.list(query);
        return { ...page, items: page.items.map(asSaved) };
      },
    });
  };
}

/** Claims that count failures in their own way, in what peers share. */
function counting(
  begin: (failures: Map<RoleId, number>) => (store: RoleStore) => Partial<RoleStore>,
  failuresOf: (task: CleanupTask, noted: number) => number,
): Spoiling<RoleStore> {
  return () => {
    const failures = new Map<RoleId, number>();
    const methodsOf = begin(failures);
    return (store) => {
      const methods = methodsOf(store);
      return {
        ...methods,
        claimForCleanup: async (request) => {
          const tasks = await (methods.claimForCleanup ?? store.claimForCleanup)(request);
          return tasks.map((task) => ({ ...task, failures: failuresOf(task, failures.get(task.role) ?? 0) }));
        },
      };
    };
  };
}

function oneMore<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Notes whose archive is whose. */
function knowingArchives(
  make: (roleOf: ReadonlyMap<ArchiveId, RoleId>) => (store: RoleStore) => Partial<RoleStore>,
): Spoiling<RoleStore> {
  return () => {
    const roleOf = new Map<ArchiveId, RoleId>();
    const methodsOf = make(roleOf);
    return (store) => ({
      commit: async (publication, lease, events) => {
        const outcome = await store.commit(publication, lease, events);
        const { archive, id } = publication.role;
        if (outcome.kind === 'committed') roleOf.set(archive, id);
        return outcome;
      },
      ...methodsOf(store),
    });
  };
}

export const blindCleaningSabotages: Sabotages<RoleStore> = {
  'an expired role that was stopped later ended when it was stopped': storing((role) =>
    role.deletedAt !== null && role.expiresAt !== null
      ? { ...role, expiresAt: Math.max(role.expiresAt, role.deletedAt) as Instant }
      : role,
  ),
  'a pinned role that was stopped is never cleaned up': does('claimForCleanup', async (store, request) => {
    const tasks = await store.claimForCleanup(request);
    const roles = await Promise.all(tasks.map(({ role }) => store.load(role)));
    return tasks.filter((_, n) => roles[n]?.value.pinned === false);
  }),
  'what is claimed is answered in order of id': answers('claimForCleanup', (tasks) =>
    [...tasks].sort((one, other) => (one.role < other.role ? -1 : 1)),
  ),
  'a claim that lapsed counts as a failure': counting(
    (claims) => (store) => ({
      claimForCleanup: async (request) => {
        const tasks = await store.claimForCleanup(request);
        for (const { role } of tasks) oneMore(claims, role);
        return tasks;
      },
    }),
    (_, claims) => claims - 1,
  ),
  'a save sets the failures back to none': () => {
    const failed = new Map<RoleId, number>();
    const forgotten = new Map<RoleId, number>();
    return (store) => ({
      save: async (role, loadedAt, events, authority) => {
        const outcome = await store.save(role, loadedAt, events, authority);
        if (outcome.kind === 'saved') forgotten.set(role.id, failed.get(role.id) ?? 0);
        return outcome;
      },
      settleCleanup: async (task, outcome, events) => {
        await store.settleCleanup(task, outcome, events);
        if (outcome.kind === 'failed') oneMore(failed, task.role);
      },
      claimForCleanup: async (request) => {
        const tasks = await store.claimForCleanup(request);
        return tasks.map((task) => ({ ...task, failures: task.failures - (forgotten.get(task.role) ?? 0) }));
      },
    });
  },
  'only the first claim of a role raises its version': () => {
    const claims = new Map<RoleId, number>();
    const hidden = (id: RoleId): number => Math.max(0, (claims.get(id) ?? 0) - 1);
    return (store) => ({
      claimForCleanup: async (request) => {
        const tasks = await store.claimForCleanup(request);
        for (const { role } of tasks) oneMore(claims, role);
        return tasks;
      },
      load: async (id, signal) => {
        const loaded = await store.load(id, signal);
        return loaded && { ...loaded, version: (loaded.version - hidden(id)) as Version };
      },
      save: (role, loadedAt, events, authority) =>
        store.save(role, (loadedAt + hidden(role.id)) as Version, events, authority),
    });
  },
  'a claim that was settled as failed may still be settled as removed': () => {
    const failed = new Map<RoleId, CleanupTask>();
    const removed = new Set<ArchiveId>();
    return (store) => ({
      settleCleanup: async (task, outcome, events) => {
        const isSettled = failed.get(task.role)?.token === task.token;
        if (isSettled && outcome.kind === 'removed') removed.add(task.archive);
        if (outcome.kind === 'failed') failed.set(task.role, task);
        await store.settleCleanup(task, outcome, events);
      },
      claimForCleanup: async (request) => {
        const tasks = await store.claimForCleanup(request);
        for (const { role } of tasks) failed.delete(role);
        return tasks.filter(({ archive }) => !removed.has(archive));
      },
      loadManifest: async (archive, signal) => {
        const manifest = await store.loadManifest(archive, signal);
        return removed.has(archive) ? undefined : manifest;
      },
      listArchives: async (after, limit) =>
        (await store.listArchives(after, limit)).filter((id) => !removed.has(id)),
      whichAreNamed: async (ids) => await store.whichAreNamed(ids.filter((id) => !removed.has(id))),
    });
  },
  'a failure told with a claim that is lost counts': counting(
    (told) => {
      const holders = new Map<RoleId, string>();
      return (store) => ({
        claimForCleanup: async (request) => {
          const tasks = await store.claimForCleanup(request);
          for (const { role, token } of tasks) holders.set(role, token);
          return tasks;
        },
        settleCleanup: async (task, outcome, events) => {
          const isLost = holders.get(task.role) !== task.token;
          if (isLost && outcome.kind === 'failed') oneMore(told, task.role);
          if (!isLost) holders.delete(task.role);
          await store.settleCleanup(task, outcome, events);
        },
      });
    },
    (task, told) => task.failures + told,
  ),
  'asking whether none of no archives is named is a fault': does('whichAreNamed', async (store, ids) => {
    if (ids.length > 0) return await store.whichAreNamed(ids);
    throw new Fault('store_unavailable', 'syntax error near ")"', { cause: new Error('IN ()') });
  }),
  'the archive of a stopped role is named no more': knowingArchives((roleOf) => (store) => ({
    whichAreNamed: async (ids) => {
      const named = await store.whichAreNamed(ids);
      const roles = await Promise.all(
        [...named].map(async (id) => [id, await store.load(roleOf.get(id) as RoleId)] as const),
      );
      return new Set(roles.filter(([, role]) => role?.value.deletedAt === null).map(([id]) => id));
    },
  })),
  'a page of archives is taken before those that were removed are left out': knowingArchives(
    (roleOf) => (store) => ({
      listArchives: async (after, limit) => {
        const page = [...roleOf.keys()]
          .sort()
          .filter((id) => after === undefined || id > after)
          .slice(0, limit);
        const named = await store.whichAreNamed(page);
        return page.filter((id) => named.has(id));
      },
    }),
  ),
  'complete keys are counted as reservations': noting((ledger) => (store) => ({
    countForCleanup: async (request) => {
      const count = await store.countForCleanup(request);
      const complete = [...ledger.values()].filter(
        ({ isComplete, begunAt }) => isComplete && begunAt < request.begunBefore,
      );
      return { ...count, reservations: count.reservations + complete.length };
    },
  })),
  'orphans and missing archives are kept in order of id': answers('loadComparison', (loaded) => {
    if (loaded === undefined) return undefined;
    const { orphans, missing } = loaded.value;
    const value = { ...loaded.value, orphans: [...orphans].sort(), missing: [...missing].sort() };
    return { ...loaded, value };
  }),
  'keeping a comparison as it is makes no version': does(
    'keepComparison',
    async (store, comparison, loadedAt): ReturnType<RoleStore['keepComparison']> => {
      const present = await store.loadComparison();
      const isSame = JSON.stringify(present?.value) === JSON.stringify(comparison);
      if (present !== undefined && present.version === loadedAt && isSame) {
        return { kind: 'kept', version: present.version };
      }
      return await store.keepComparison(comparison, loadedAt);
    },
  ),
  'settling counts a failure in the very task that was answered': () => (store) => ({
    claimForCleanup: async (request) => (await store.claimForCleanup(request)).map((task) => ({ ...task })),
    settleCleanup: async (task, outcome, events) => {
      const failures = task.failures + 1;
      await store.settleCleanup(task, outcome, events);
      if (outcome.kind === 'failed') Object.assign(task, { failures });
    },
  }),
};
