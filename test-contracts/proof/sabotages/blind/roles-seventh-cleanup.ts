import {
  type ArchiveId,
  type CleanupTask,
  type Instant,
  instant,
  type RoleId,
  type RoleStore,
  type Token,
  type Version,
} from '@pinfold/core';
import { type Sabotages, waysOf } from '../ways.ts';
import { endOf, everything } from './roles-seventh-ways.ts';

const { asks, does } = waysOf<RoleStore>();

/** What may be wrong with cleaning up and comparing. */
export const seventhRoleCleanup: Sabotages<RoleStore> = {
  'claimForCleanup: goes by the end of a role, tried before or not': does(
    'claimForCleanup',
    async (store, request) => {
      const ends = (await everything(store)).map(endOf).filter((end) => end <= request.endedBefore);
      const tasks: CleanupTask[] = [];
      for (const endedBefore of new Set(ends.sort((one, other) => one - other))) {
        const limit = request.limit - tasks.length;
        tasks.push(...(await store.claimForCleanup({ ...request, endedBefore, limit })));
      }
      return tasks;
    },
  ),
  'claimForCleanup: leaves what was pinned when it was deleted': does(
    'claimForCleanup',
    async (store, request) => {
      const pinned = new Set((await everything(store)).filter((role) => role.pinned).map(({ id }) => id));
      return (await store.claimForCleanup(request)).filter(({ role }) => !pinned.has(role));
    },
  ),
  'claimForCleanup: takes a lapse for a failure': () => {
    const open = new Map<RoleId, Token>();
    const lapses = new Map<RoleId, number>();
    return (store) => ({
      claimForCleanup: async (request) => {
        const tasks = await store.claimForCleanup(request);
        return tasks.map((task) => {
          const before = (lapses.get(task.role) ?? 0) + (open.has(task.role) ? 1 : 0);
          lapses.set(task.role, before);
          open.set(task.role, task.token);
          return { ...task, failures: task.failures + before };
        });
      },
      settleCleanup: (task, outcome, events) => {
        if (open.get(task.role) === task.token) open.delete(task.role);
        return store.settleCleanup(task, outcome, events);
      },
    });
  },
  'save: forgets how often a removal failed': () => {
    const saved = new Set<RoleId>();
    const forgotten = new Map<RoleId, number>();
    return (store) => ({
      save: async (role, ...rest) => {
        const outcome = await store.save(role, ...rest);
        if (outcome.kind === 'saved') saved.add(role.id);
        return outcome;
      },
      claimForCleanup: async (request) => {
        const tasks = await store.claimForCleanup(request);
        return tasks.map((task) => {
          if (saved.delete(task.role)) forgotten.set(task.role, task.failures);
          return { ...task, failures: task.failures - (forgotten.get(task.role) ?? 0) };
        });
      },
    });
  },
  'settleCleanup: removes all that was claimed with a token': () => {
    const claimed = new Map<Token, CleanupTask[]>();
    return (store) => ({
      claimForCleanup: async (request) => {
        const tasks = await store.claimForCleanup(request);
        claimed.set(request.token, [...(claimed.get(request.token) ?? []), ...tasks]);
        return tasks;
      },
      settleCleanup: async (task, outcome, events) => {
        await store.settleCleanup(task, outcome, events);
        if (outcome.kind === 'failed') return;
        for (const other of claimed.get(task.token) ?? []) await store.settleCleanup(other, outcome, []);
      },
    });
  },
  'settleCleanup: has no events of a failure': asks('settleCleanup', (task, outcome, events) => [
    task,
    outcome,
    outcome.kind === 'failed' ? [] : events,
  ]),
  'countForCleanup: counts what was never claimed': () => {
    const due = new Map<RoleId, readonly [Token, Instant]>();
    return (store) => ({
      claimForCleanup: async (request) => {
        const tasks = await store.claimForCleanup(request);
        for (const { role, token } of tasks) due.set(role, [token, request.until]);
        return tasks;
      },
      settleCleanup: (task, outcome, events) => {
        if (due.get(task.role)?.[0] === task.token) {
          if (outcome.kind === 'removed') due.delete(task.role);
          else due.set(task.role, ['' as Token, outcome.retryAt]);
        }
        return store.settleCleanup(task, outcome, events);
      },
      countForCleanup: async (request) => {
        const count = await store.countForCleanup(request);
        const again = (await everything(store)).filter((role) => {
          const [, at = Number.POSITIVE_INFINITY] = due.get(role.id) ?? [];
          return at <= request.now && endOf(role) <= request.endedBefore;
        });
        return { ...count, archives: count.archives - again.length };
      },
    });
  },
  'whichAreNamed: remembers what was named once': () => (store) => {
    const once = new Set<ArchiveId>();
    return {
      whichAreNamed: async (ids) => {
        for (const id of await store.whichAreNamed(ids)) once.add(id);
        return new Set(ids.filter((id) => once.has(id)));
      },
    };
  },
  'listArchives: finds nothing after an archive that is not named': does(
    'listArchives',
    async (store, after, limit) => {
      if (after !== undefined && (await store.whichAreNamed([after])).size === 0) return [];
      return store.listArchives(after, limit);
    },
  ),
  'listArchives: leaves out the removed ones of a page': () => {
    const all = new Set<ArchiveId>();
    return (store) => ({
      commit: async (publication, lease, events) => {
        const outcome = await store.commit(publication, lease, events);
        if (outcome.kind === 'committed') all.add(publication.role.archive);
        return outcome;
      },
      listArchives: async (after, limit) => {
        const behind = [...all].filter((id) => after === undefined || id > after);
        const page = behind.sort().slice(0, limit);
        const named = await store.whichAreNamed(page);
        return page.filter((id) => named.has(id));
      },
    });
  },
  'purge: takes the whole second in which it is asked to stop': asks('purge', (begunBefore, limit) => [
    instant(Math.ceil(begunBefore / 1_000) * 1_000),
    limit,
  ]),
  'keepComparison: has a version for the instant at which it was kept': () => (store) => ({
    loadComparison: async () => {
      const kept = await store.loadComparison();
      return kept && { ...kept, version: Number(kept.value.keptAt) as Version };
    },
    keepComparison: async (comparison, loadedAt) => {
      const kept = await store.loadComparison();
      if (kept?.value.keptAt !== (loadedAt as number | undefined)) return { kind: 'conflict' };
      const outcome = await store.keepComparison(comparison, kept?.version);
      if (outcome.kind === 'conflict') return outcome;
      return { ...outcome, version: Number(comparison.keptAt) as Version };
    },
  }),
  'keepComparison: has one word for how it stands': asks('keepComparison', (comparison, loadedAt) => [
    { ...comparison, isRefused: comparison.isRefused && !comparison.isUnderWay },
    loadedAt,
  ]),
};
