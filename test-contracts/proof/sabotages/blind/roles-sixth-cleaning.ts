import type { ArchiveId, Comparison, Instant, RoleStore } from '@pinfold/core';
import { type Sabotages, waysOf } from '../ways.ts';
import { rowed, ruled, SOUND } from './roles-sixth-rows.ts';
import { archivesOf, update } from './roles-sixth-store.ts';

const { asks, does } = waysOf<RoleStore>();

export const sixthRoleCleaning: Sabotages<RoleStore> = {
  'claim: what is stopped ended no earlier': ruled({
    endOf: ({ deletedAt, expiresAt }) => deletedAt ?? expiresAt ?? Infinity,
  }),
  'claim: what was never claimed comes first': ruled({
    waitingSince: ({ claimableAt, role }) => claimableAt ?? SOUND.endOf(role) - 1e14,
  }),
  'claim: only the first raises the version': rowed((rows, sound) => ({
    claimForCleanup: async (request) => {
      const before = new Map(rows.roles);
      const tasks = await sound.claimForCleanup(request);
      for (const { role } of tasks) {
        const row = before.get(role);
        if (row?.claimableAt !== undefined) update(rows, role, { version: row.version });
      }
      return tasks;
    },
  })),
  'settle: a failure is counted in the task': does('settleCleanup', async (store, task, outcome, events) => {
    await store.settleCleanup(task, outcome, events);
    if (outcome.kind === 'failed') Object.assign(task, { failures: task.failures + 1 });
  }),
  'settle: a claim that lapsed is lost once others were claimed': rowed(({ roles }, sound) => {
    let latest = 0;
    return {
      claimForCleanup: (request) => {
        latest = request.now;
        return sound.claimForCleanup(request);
      },
      settleCleanup: async (task, outcome, events) => {
        const until = roles.get(task.role)?.claimableAt;
        if (until === undefined || until > latest) await sound.settleCleanup(task, outcome, events);
      },
    };
  }),
  'settle: a retry waits for the end of the claim': rowed(({ roles }, sound) => ({
    settleCleanup: (task, outcome, events) => {
      if (outcome.kind === 'removed') return sound.settleCleanup(task, outcome, events);
      const retryAt = Math.max(outcome.retryAt, roles.get(task.role)?.claimableAt ?? 0) as Instant;
      return sound.settleCleanup(task, { kind: 'failed', retryAt }, events);
    },
  })),
  'settle: all of one token are settled': rowed(({ roles }, sound) => ({
    settleCleanup: async (task, outcome, events) => {
      for (const { claim, role } of [...roles.values()]) {
        if (claim === task.token) await sound.settleCleanup({ ...task, role: role.id }, outcome, events);
      }
    },
  })),
  'count: reservations of accounts that have published': rowed(({ keys, roles }, sound) => ({
    countForCleanup: async (request) => {
      const { archives } = await sound.countForCleanup(request);
      const known = new Set([...roles.values()].map(({ role }) => role.account));
      const begun = [...keys.values()].filter(
        ({ role, begunAt, account }) => !role && begunAt < request.begunBefore && known.has(account),
      );
      return { archives, reservations: begun.length };
    },
  })),
  'named: for none nothing is asked': does('whichAreNamed', async (store, ids) =>
    ids.length === 0 ? new Set() : store.whichAreNamed(ids),
  ),
  'named: between five hundred and five hundred one is left out': asks('whichAreNamed', (ids) => [
    ids.filter((_, n) => n % 501 !== 500),
  ]),
  'archives: a page begins at the next millisecond': rowed((rows) => ({
    listArchives: async (after, limit) =>
      archivesOf(rows)
        .filter((id) => after === undefined || id.slice(0, 13) > after.slice(0, 13))
        .slice(0, limit),
  })),
  'archives: removed ones take their places in a page': rowed(({ roles }) => ({
    listArchives: async (after, limit) => {
      const rows = [...roles.values()].filter(({ role }) => after === undefined || role.archive > after);
      const page = rows
        .sort((one, other) => (one.role.archive < other.role.archive ? -1 : 1))
        .slice(0, limit);
      return page.filter(({ isRemoved }) => !isRemoved).map(({ role }) => role.archive);
    },
  })),
  'comparison: what is missing fits 64 KiB': asks('keepComparison', (comparison, loadedAt) => [
    fitted(comparison),
    loadedAt,
  ]),
  'comparison: none overwrites no id': rowed((rows, sound) => ({
    keepComparison: (comparison, loadedAt) => {
      const upTo = comparison.upTo ?? rows.comparison?.value.upTo ?? null;
      return sound.keepComparison({ ...comparison, upTo }, loadedAt);
    },
  })),
};

function fitted(comparison: Comparison): Comparison {
  const missing: ArchiveId[] = [...comparison.missing];
  while (missing.length > 0 && JSON.stringify({ ...comparison, missing }).length > 65_535) missing.pop();
  return { ...comparison, missing };
}
