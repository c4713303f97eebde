import type { CleanupTask, Role, RoleId, RoleStore, Token, Version } from '@pinfold/core';
import type { Spoiling } from '../../saboteurs/memory-saboteurs.ts';
import { copying, type Sabotages } from '../ways.ts';

interface Row {
  role: Role;
  version: number;
  saved: number;
  token?: Token | undefined;
  from?: number | undefined;
  failures: number;
  isRemoved: boolean;
  /** The last expiration it had. */
  expiredAt: number;
}

const NEVER = Number.POSITIVE_INFINITY;
const endOf = ({ role }: Row) => Math.min(role.deletedAt ?? NEVER, role.expiresAt ?? NEVER);
const byWait = (one: Row, other: Row) => (one.from ?? endOf(one)) - (other.from ?? endOf(other));
const sound = {
  hasEnded: (row: Row, by: number) => endOf(row) <= by,
  isFree: ({ from = 0 }: Row, now: number, _by: number) => from <= now,
  isCounted: ({ from = 0 }: Row, now: number) => from <= now,
  first: (rows: Row[], limit: number, isFree: (row: Row) => boolean) =>
    rows.filter(isFree).sort(byWait).slice(0, limit),
  raised: (_: Row) => 1,
  failuresOf: ({ failures }: Row) => failures,
  endsWithFailure: true,
};

/** A cleanup of its own, sound but for `how`. */
export const cleaning =
  (how: Partial<typeof sound>): Spoiling<RoleStore> =>
  () => {
    const rows = new Map<RoleId, Row>();
    const { hasEnded, isFree, isCounted, first, raised, failuresOf, endsWithFailure } = { ...sound, ...how };
    const ended = (by: number) => [...rows.values()].filter((row) => !row.isRemoved && hasEnded(row, by));
    const isGone = (archive: string) =>
      [...rows.values()].some((row) => row.isRemoved && row.role.archive === archive);
    return (store) =>
      copying<Partial<RoleStore>>({
        commit: async (publication, lease, events) => {
          const { role } = publication;
          const outcome = await store.commit(publication, lease, events);
          const row = { role, version: 1, saved: 1, failures: 0, isRemoved: false };
          if (outcome.kind === 'committed' && !rows.has(role.id))
            rows.set(role.id, { ...row, expiredAt: role.expiresAt ?? NEVER });
          return outcome;
        },
        load: async (id, signal) => {
          const loaded = await store.load(id, signal);
          return loaded && { ...loaded, version: (rows.get(id)?.version ?? 0) as Version };
        },
        save: async (role, loadedAt, events, authority) => {
          await store.loadComparison();
          const row = rows.get(role.id);
          if (row?.version !== loadedAt) return { kind: 'conflict' };
          Object.assign(row, { role, version: row.version + 1, expiredAt: role.expiresAt ?? row.expiredAt });
          return store.save(role, row.saved++ as Version, events, authority);
        },
        loadManifest: async (archive, signal) => {
          const text = await store.loadManifest(archive, signal);
          return isGone(archive) ? undefined : text;
        },
        whichAreNamed: async (ids) =>
          new Set([...(await store.whichAreNamed(ids))].filter((id) => !isGone(id))),
        listArchives: async (after, limit) =>
          (await store.listArchives(after, NEVER)).filter((id) => !isGone(id)).slice(0, limit),
        countForCleanup: async (request) => ({
          ...(await store.countForCleanup(request)),
          archives: ended(request.endedBefore).filter((row) => isCounted(row, request.now)).length,
        }),
        claimForCleanup: async ({ now, endedBefore, token, until, limit }) => {
          await store.loadComparison();
          const wanted = first(ended(endedBefore), limit, (row) => isFree(row, now, endedBefore));
          return wanted.map((row): CleanupTask => {
            const failures = failuresOf(row);
            Object.assign(row, { version: row.version + raised(row), token, from: until, failures });
            const { id, account, archive } = row.role;
            return { role: id, account, archive, token, failures };
          });
        },
        settleCleanup: async (task, outcome) => {
          await store.loadComparison();
          const row = rows.get(task.role);
          if (row === undefined || row.token !== task.token) return;
          if (outcome.kind === 'removed') {
            Object.assign(row, { isRemoved: true, token: undefined });
            return;
          }
          Object.assign(row, { from: outcome.retryAt, failures: row.failures + 1 });
          if (endsWithFailure) row.token = undefined;
        },
      });
  };

export const fourthRoleCleaning: Sabotages<RoleStore> = {
  'a role that expired and was stopped later ended when it was stopped': cleaning({
    hasEnded: ({ role }, by) => (role.deletedAt ?? role.expiresAt ?? NEVER) <= by,
  }),
  'a pin leaves the expiration that cleanups look at': cleaning({
    hasEnded: ({ role, expiredAt }, by) => Math.min(role.deletedAt ?? NEVER, expiredAt) <= by,
  }),
  'a claim lapses when that for which the ended are wanted passes it': cleaning({
    isFree: ({ from = 0 }, _, by) => from <= by,
  }),
  'what was claimed once waits for cleanups, ended or not': cleaning({
    hasEnded: (row, by) => row.from !== undefined || endOf(row) <= by,
  }),
  'a claim that lapsed is one failure more': cleaning({
    failuresOf: ({ token, failures }) => failures + (token === undefined ? 0 : 1),
  }),
  'a claim that failed may be settled again': cleaning({ endsWithFailure: false }),
  'a claim looks at as many as its limit, and then at who is free': cleaning({
    first: (rows, limit, isFree) =>
      rows
        .sort((one, other) => endOf(one) - endOf(other))
        .slice(0, limit)
        .filter(isFree),
  }),
  'who takes a claim over leaves the version as it was': cleaning({
    raised: ({ from }) => (from === undefined ? 1 : 0),
  }),
  'what waits for a retry is counted': cleaning({
    isCounted: ({ token, from = 0 }, now) => token === undefined || from <= now,
  }),
};
