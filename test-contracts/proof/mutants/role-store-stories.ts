import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type ArchiveId,
  type CleanupTask,
  type CommitOutcome,
  type IdempotencyKey,
  type Role,
  type RoleCommit,
  type RoleId,
  type RoleQuery,
  type RoleStore,
  stateOf,
  type Token,
  type Version,
} from '@pinfold/core';
import { placeOf } from '@pinfold/core/adapter';
import type { StoreSubject } from '@pinfold/test-contracts';
import { publishTo } from '@pinfold/test-contracts/fixtures';
import { UNBOUNDED } from '@pinfold/test-contracts/internal';
import type { Mutant } from './mutant.ts';
import { type OverMemory, overMemory } from './over-memory.ts';

export const roleStores: OverMemory<RoleStore> = overMemory(({ roles }) => roles);
const { mutant } = roleStores;

async function storeAnyway(store: RoleStore, publication: RoleCommit, token: Token): Promise<void> {
  const idempotencyKey = `stray ${token} ${publication.role.id}` as IdempotencyKey;
  await publishTo(store, { ...publication, role: { ...publication.role, idempotencyKey } });
}

/** A page of the roles that are wanted of some that are examined: it may have fewer than fit, or none. */
export async function listExamined(
  store: RoleStore,
  query: RoleQuery,
  limit: number,
  isWanted: (role: Role) => boolean,
): ReturnType<RoleStore['list']> {
  const examined = await store.list({ ...query, search: undefined, limit });
  const wanted = examined.items.filter(isWanted);
  const last = wanted.length > query.limit ? wanted[query.limit - 1] : undefined;
  const next = last === undefined ? examined.next : placeOf(last, query.order);
  return { items: wanted.slice(0, query.limit), next };
}

export const stories: readonly Mutant<StoreSubject<RoleStore>>[] = [
  mutant('commit-rate', 'each peer has the whole rate', () => {
    let first: unknown;
    return (store) => {
      first ??= store;
      return store === first
        ? {}
        : {
            commit: (publication, lease, events) =>
              store.commit(
                { ...publication, limits: { ...publication.limits, publications: null } },
                lease,
                events,
              ),
          };
    };
  }),
  mutant('commit-quota', 'a commit counts first and stores later', () => {
    let passed: Promise<CommitOutcome> | undefined;
    const unbounded = (publication: RoleCommit): RoleCommit => ({
      ...publication,
      limits: { ...UNBOUNDED, publications: publication.limits.publications },
    });
    return (store) => ({
      commit: async (publication, lease, events) => {
        if (publication.limits.sites === null && publication.limits.bytes === null) {
          return await store.commit(publication, lease, events);
        }
        const others = passed;
        const mine = store.commit(others === undefined ? publication : unbounded(publication), lease, events);
        passed = mine;
        await nextTurn();
        passed = undefined;
        return await mine;
      },
    });
  }),
  mutant('claim-once', 'claiming looks first and writes later', () => {
    let seen: ReturnType<RoleStore['claimForCleanup']> | undefined;
    return (store) => ({
      claimForCleanup: async (request) => {
        seen ??= store.claimForCleanup(request);
        const tasks = await seen;
        await nextTurn();
        seen = undefined;
        return tasks.map((task) => ({ ...task, token: request.token }));
      },
    });
  }),
  mutant('claim-conflicts', 'a claim leaves the version as it was', () => {
    const claims = new Map<RoleId, number>();
    const claimsOf = (id: RoleId): number => claims.get(id) ?? 0;
    return (store) => ({
      claimForCleanup: async (request) => {
        const tasks = await store.claimForCleanup(request);
        for (const { role } of tasks) claims.set(role, claimsOf(role) + 1);
        return tasks;
      },
      load: async (id, signal) => {
        const found = await store.load(id, signal);
        return found && { ...found, version: (found.version - claimsOf(id)) as Version };
      },
      save: (role, loadedAt, events, ...more) =>
        store.save(role, (loadedAt + claimsOf(role.id)) as Version, events, ...more),
    });
  }),
  mutant('settle-removed', 'a role saved after its removal names its archive again', () => {
    const saved = new Set<ArchiveId>();
    return (store) => ({
      save: async (role, loadedAt, events, ...more) => {
        const outcome = await store.save(role, loadedAt, events, ...more);
        if (outcome.kind === 'saved') saved.add(role.archive);
        return outcome;
      },
      whichAreNamed: async (ids) =>
        new Set([...(await store.whichAreNamed(ids)), ...ids.filter((id) => saved.has(id))]),
    });
  }),
  mutant('settle-lost', 'settling ends the claim of another sweep', () => {
    const claimed = new Map<RoleId, Token>();
    const newest = (task: CleanupTask): CleanupTask => ({
      ...task,
      token: claimed.get(task.role) ?? task.token,
    });
    return (store) => ({
      claimForCleanup: async (request) => {
        const tasks = await store.claimForCleanup(request);
        for (const { role, token } of tasks) claimed.set(role, token);
        return tasks;
      },
      settleCleanup: (task, outcome, events) => store.settleCleanup(newest(task), outcome, events),
    });
  }),
  mutant('comparison-race', 'keeping looks first and writes later', () => (store) => ({
    keepComparison: async (comparison, loadedAt) => {
      const found = await store.loadComparison();
      await nextTurn();
      if (found?.version !== loadedAt) return { kind: 'conflict' };
      const newest = (await store.loadComparison())?.version;
      return await store.keepComparison(comparison, newest);
    },
  })),
  mutant('at-once', 'concurrent lists of one account share a page', () => (store) => {
    const coming = new Map<string, ReturnType<typeof store.list>>();
    return {
      list: (query) => {
        const asked = JSON.stringify({ ...query, after: undefined });
        const page = coming.get(asked) ?? nextTurn().then(() => store.list(query));
        coming.set(asked, page);
        return page.finally(() => coming.delete(asked));
      },
    };
  }),
  mutant('reserve-race', 'reserving looks first and writes later', () => {
    const looking = new Set<string>();
    return (store) => ({
      reserve: async (request) => {
        const key = `${request.account}\n${request.key}`;
        const isFirst = !looking.has(key);
        looking.add(key);
        await nextTurn();
        const outcome = await store.reserve(request);
        looking.delete(key);
        if (isFirst || outcome.kind !== 'in_progress') return outcome;
        return { kind: 'reserved', lease: request, until: request.until };
      },
    });
  }),
  mutant('list-sorted', 'a page starts after the rank of the last role', () => (store) => ({
    list: ({ after, ...query }) =>
      store.list({ ...query, after: query.order && after ? { ...after, id: '' as RoleId } : after }),
  })),
  mutant('list-sorted', 'those without an end come first', () => (store) => ({
    list: async (query) => {
      const { items, next } = await store.list(query);
      if (query.order !== 'ending') return { items, next };
      return {
        items: [...items.filter((role) => role.pinned), ...items.filter((role) => !role.pinned)],
        next,
      };
    },
  })),
  mutant('list-sparse', 'a page ends after a thousand roles were examined', () => (store) => ({
    list: async (query) => {
      if (query.state !== 'expired' || query.idempotencyKey !== undefined) return await store.list(query);
      const isExpired = (role: Role) => stateOf(role, query.now) === 'expired';
      return await listExamined(store, { ...query, state: undefined }, 1_000, isExpired);
    },
  })),
  mutant('answers-stay', 'one set is filled again for each question', () => (store) => {
    const named = new Set<ArchiveId>();
    return {
      whichAreNamed: async (ids) => {
        const found = await store.whichAreNamed(ids);
        named.clear();
        for (const id of found) named.add(id);
        return named;
      },
    };
  }),
  mutant('list-search', 'a text is taken as a pattern', () => (store) => ({
    list: (query) => store.list({ ...query, search: query.search?.replaceAll(/[%_]/g, '') }),
  })),
  mutant('list-search-walk', 'a short page of a search is the last', () => (store) => ({
    list: async (query) => {
      const page = await store.list(query);
      const last = query.search !== undefined && page.items.length < query.limit;
      return last ? { items: page.items, next: undefined } : page;
    },
  })),
  mutant('commit-lease-lost', 'the role is stored before the lease is checked', () => (store) => ({
    commit: async (publication, lease, events) => {
      const outcome = await store.commit(publication, lease, events);
      if (outcome.kind === 'lease_lost') await storeAnyway(store, publication, lease.token);
      return outcome;
    },
  })),
  mutant('commit-race', 'a commit ignores whether the key was completed', () => (store) => ({
    commit: async (publication, lease, events) => {
      const outcome = await store.commit(publication, lease, events);
      if (outcome.kind === 'lease_lost') await storeAnyway(store, publication, lease.token);
      return { kind: 'committed' };
    },
  })),
  mutant('load-absent', 'an unknown id returns the role that was published last', () => {
    let last: RoleId | undefined;
    return (store) => ({
      commit: async (publication, lease, events) => {
        const outcome = await store.commit(publication, lease, events);
        if (outcome.kind === 'committed') last = publication.role.id;
        return outcome;
      },
      load: async (id, signal) => (await store.load(id, signal)) ?? (last && (await store.load(last))),
    });
  }),
  mutant('save-race', 'saving looks first and writes later', () => (store) => ({
    save: async (role, loadedAt, events, ...more) => {
      const before = await store.load(role.id);
      if (before?.version !== loadedAt) return { kind: 'conflict' };
      await nextTurn();
      const now = await store.load(role.id);
      return now === undefined ? { kind: 'conflict' } : await store.save(role, now.version, events, ...more);
    },
  })),
  mutant('sequences', 'a handle ignores aborts once it returned a manifest', () => (store) => {
    const given = new Set<string>();
    return {
      loadManifest: async (archive, signal) => {
        const text = await store.loadManifest(archive, given.has(archive) ? undefined : signal);
        if (text !== undefined) given.add(archive);
        return text;
      },
    };
  }),
  mutant('sequences', 'a failed cleanup stores no events', () => (store) => ({
    settleCleanup: (task, outcome, events) =>
      store.settleCleanup(task, outcome, outcome.kind === 'failed' ? [] : events),
  })),
];
