import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type ArchiveId,
  after,
  before,
  type CleanupTask,
  instant,
  minutes,
  type RoleId,
  type RoleStore,
  type Token,
  type Version,
} from '@pinfold/core';
import { withLedger } from './ledger.ts';
import { type RoleSaboteur, saboteur } from './subjects.ts';

export const cleanupSaboteurs: readonly RoleSaboteur[] = [
  saboteur(
    'role-store/claim-ended',
    'a pinned role is left alone though it was deleted',
    () => (store) => ({
      claimForCleanup: async (request) => {
        const tasks = await store.claimForCleanup(request);
        const roles = await Promise.all(tasks.map(({ role }) => store.load(role)));
        return tasks.filter((_, n) => roles[n]?.value.pinned === false);
      },
    }),
    ['role-store/settle-failed'],
  ),
  saboteur(
    'role-store/claim-order',
    'a failed one goes to the front again',
    () => (store) => ({
      settleCleanup: (task, outcome, events) =>
        store.settleCleanup(
          task,
          outcome.kind === 'failed' ? { kind: 'failed', retryAt: instant(0) } : outcome,
          events,
        ),
    }),
    ['role-store/settle-failed', 'role-store/settle-lost', 'role-store/count-for-cleanup'],
  ),
  saboteur('role-store/claim-once', 'claiming looks first and writes later', () => {
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
  saboteur('role-store/claim-conflicts', 'a claim leaves the version as it was', () => {
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
      save: (role, loadedAt, events, authority) =>
        store.save(role, (loadedAt + claimsOf(role.id)) as Version, events, authority),
    });
  }),
  saboteur(
    'role-store/settle-removed',
    'a role saved after its removal names its archive again',
    () => {
      const saved = new Set<ArchiveId>();
      return (store) => ({
        save: async (role, loadedAt, events, authority) => {
          const outcome = await store.save(role, loadedAt, events, authority);
          if (outcome.kind === 'saved') saved.add(role.archive);
          return outcome;
        },
        whichAreNamed: async (ids) =>
          new Set([...(await store.whichAreNamed(ids)), ...ids.filter((id) => saved.has(id))]),
      });
    },
    ['role-store/commit-again', 'role-store/same-question'],
  ),
  saboteur(
    'role-store/settle-failed',
    'failures are not counted',
    () => (store) => ({
      claimForCleanup: async (request) =>
        (await store.claimForCleanup(request)).map((task) => ({ ...task, failures: 0 })),
    }),
    ['role-store/settle-lost', 'role-store/at-once'],
  ),
  saboteur(
    'role-store/settle-lost',
    'settling ends whatever claim there is',
    () => {
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
    },
    ['role-store/at-once'],
  ),
];

export const sweepSaboteurs: readonly RoleSaboteur[] = [
  saboteur(
    'role-store/named',
    'only the first 999 ids are looked for',
    () => (store) => ({
      whichAreNamed: (ids) => store.whichAreNamed(ids.slice(0, 999)),
    }),
    ['role-store/many'],
  ),
  saboteur(
    'role-store/archives-walk',
    'an archive is lost between two pages',
    () => (store) => ({
      listArchives: async (after, limit) =>
        after === undefined
          ? await store.listArchives(after, limit)
          : (await store.listArchives(after, limit + 1)).slice(1),
    }),
    ['role-store/many'],
  ),
  saboteur(
    'role-store/purge-old',
    'a renewed reservation counts as begun anew',
    withLedger((ledger) => (store) => ({
      renew: async (lease, until) => {
        const outcome = await store.renew(lease, until);
        const held = ledger.holder(lease);
        if (outcome.kind === 'lost' || held === undefined) return outcome;
        await store.release(lease);
        await store.reserve({ ...held.request, now: before(until, minutes(1)), until });
        return outcome;
      },
    })),
  ),
  saboteur(
    'role-store/purge-loses-lease',
    'a dropped reservation lapses and keeps its token',
    withLedger((ledger) => {
      const dropped = new Set<Token>();
      return (store) => ({
        purge: async (begunBefore, limit) => {
          const old = ledger
            .all()
            .filter(({ request }) => request.now < begunBefore && !dropped.has(request.token))
            .slice(0, limit);
          for (const { request } of old) {
            dropped.add(request.token);
            await store.renew(request, instant(0));
          }
          return old.length;
        },
      });
    }),
    ['role-store/unreachable', 'role-store/at-once'],
  ),
  saboteur(
    'role-store/count-for-cleanup',
    'counting claims what it counts',
    () => (store) => ({
      countForCleanup: async (request) => {
        const count = await store.countForCleanup(request);
        const until = after(request.now, minutes(1));
        await store.claimForCleanup({ ...request, token: 'counting' as Token, until, limit: 100 });
        return count;
      },
    }),
    ['role-store/many', 'role-store/same-question', 'role-store/at-once'],
  ),
  saboteur('role-store/comparison-newest', 'no more than a hundred ids are kept', () => (store) => ({
    keepComparison: (comparison, loadedAt) =>
      store.keepComparison({ ...comparison, orphans: comparison.orphans.slice(0, 100) }, loadedAt),
  })),
  saboteur(
    'role-store/comparison-lost-race',
    'a comparison without a version replaces what there is',
    () => (store) => ({
      keepComparison: async (comparison, loadedAt) =>
        store.keepComparison(comparison, loadedAt ?? (await store.loadComparison())?.version),
    }),
  ),
  saboteur('role-store/comparison-race', 'keeping looks first and writes later', () => (store) => ({
    keepComparison: async (comparison, loadedAt) => {
      const found = await store.loadComparison();
      await nextTurn();
      if (found?.version !== loadedAt) return { kind: 'conflict' };
      const newest = (await store.loadComparison())?.version;
      return await store.keepComparison(comparison, newest);
    },
  })),
];
