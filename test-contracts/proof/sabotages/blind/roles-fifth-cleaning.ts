import type { ArchiveId, Instant, RoleId, RoleStore, Token } from '@pinfold/core';
import { type Sabotages, waysOf } from '../ways.ts';
import { change, ends, own } from './roles-fifth-store.ts';

const { answers, does } = waysOf<RoleStore>();

export const fifthRoleCleaningSabotages: Sabotages<RoleStore> = {
  'a deleted role ended when it was deleted, however long it was expired': ends((role) =>
    role.deletedAt === null ? role : { ...role, expiresAt: null },
  ),
  'a pinned role never ends, deleted or not': ends((role) =>
    role.pinned ? { ...role, deletedAt: null, expiresAt: null } : role,
  ),
  'every claim ends the lapsed ones, taken over or not': own((data) => (sound) => ({
    claimForCleanup: async (request) => {
      for (const { role, claimableAt = request.until } of data.roles.values()) {
        if (claimableAt <= request.now) change(data, role.id, () => ({ claim: undefined }));
      }
      return sound.claimForCleanup(request);
    },
  })),
  'a role that is claimed again keeps its version': own((data) => {
    const claimed = new Set<RoleId>();
    return (sound) => ({
      claimForCleanup: async (request) => {
        const tasks = await sound.claimForCleanup(request);
        for (const { role } of tasks) {
          if (claimed.has(role)) {
            change(data, role, ({ version }) => ({ version: (version - 1) as typeof version }));
          }
          claimed.add(role);
        }
        return tasks;
      },
    });
  }),
  'a retry is not before the claim would have lapsed': own((data) => (sound) => ({
    settleCleanup: async (task, outcome, events) => {
      const lapse = data.roles.get(task.role)?.claimableAt ?? 0;
      const later = outcome.kind === 'failed' ? Math.max(lapse, outcome.retryAt) : 0;
      const instead = outcome.kind === 'failed' ? { ...outcome, retryAt: later as Instant } : outcome;
      return sound.settleCleanup(task, instead, events);
    },
  })),
  'a saved role has no failures': own((data) => (sound) => ({
    save: async (role, ...rest) => {
      const outcome = await sound.save(role, ...rest);
      if (outcome.kind === 'saved') change(data, role.id, () => ({ failures: 0 }));
      return outcome;
    },
  })),
  'of no archives, all are named': does('whichAreNamed', async (store, ids) =>
    store.whichAreNamed(ids.length > 0 ? ids : await store.listArchives(undefined, 1_000)),
  ),
  'one set answers which archives are named': () => (store) => {
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
  'removed archives are left out of a page that has room for them': own((data) => () => ({
    listArchives: async (after, limit) =>
      [...data.roles.values()]
        .filter(({ role }) => after === undefined || role.archive > after)
        .sort((one, other) => (one.role.archive < other.role.archive ? -1 : 1))
        .slice(0, limit)
        .filter(({ archiveRemoved }) => !archiveRemoved)
        .map(({ role }) => role.archive),
  })),
  'who lost a claim settles it while nobody has another': own((data) => (sound) => ({
    settleCleanup: async (task, outcome, events) => {
      change(data, task.role, ({ claim = task.token }) => ({ claim }));
      return sound.settleCleanup(task, outcome, events);
    },
  })),
  'all roles of a claim are settled with one': own((data) => (sound) => ({
    settleCleanup: async (task, outcome, events) => {
      const others = [...data.roles.values()].filter(({ claim }) => claim === task.token);
      await sound.settleCleanup(task, outcome, events);
      for (const { role } of others) await sound.settleCleanup({ ...task, role: role.id }, outcome, []);
    },
  })),
  'manifests are shared by archives of the same bytes': own((data) => (sound) => ({
    settleCleanup: async (task, outcome, events) => {
      await sound.settleCleanup(task, outcome, events);
      const settled = data.roles.get(task.role);
      if (!settled?.archiveRemoved) return;
      for (const { role } of data.roles.values()) {
        if (role.sha256 === settled.role.sha256) data.manifests.delete(role.archive);
      }
    },
  })),
  'a claim that fails twice at once counts twice': own((data) => {
    const failed = new Set<Token>();
    return (sound) => ({
      settleCleanup: async (task, outcome, events) => {
        const again = failed.has(task.token) && data.roles.get(task.role)?.claim === undefined;
        await sound.settleCleanup(task, outcome, events);
        if (outcome.kind === 'failed') failed.add(task.token);
        if (again) change(data, task.role, ({ failures }) => ({ failures: failures + 1 }));
      },
    });
  }),
  'claims are answered in order of archive': answers('claimForCleanup', (tasks) =>
    [...tasks].sort((one, other) => (one.archive < other.archive ? -1 : 1)),
  ),
};
