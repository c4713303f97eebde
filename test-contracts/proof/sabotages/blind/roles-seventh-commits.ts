import {
  type CommitOutcome,
  type EncodedManifest,
  type Instant,
  instant,
  type PublicationLimits,
  type Reservation,
  type ReserveOutcome,
  type RoleId,
  type RoleStore,
  type Token,
} from '@pinfold/core';
import { type Sabotages, waysOf } from '../ways.ts';
import { everything, NONE, rated, refusalOf, wishOf, withManifests } from './roles-seventh-ways.ts';

const { asks, does } = waysOf<RoleStore>();

interface Held {
  readonly sites: number;
  readonly bytes: number;
}

/** What the pinned sites of an account hold. */
async function pinnedOf(store: RoleStore, account: string): Promise<Held> {
  const pinned = (await everything(store)).filter(
    (role) => role.account === account && role.deletedAt === null && role.expiresAt === null,
  );
  return { sites: pinned.length, bytes: pinned.reduce((sum, { archiveBytes }) => sum + archiveBytes, 0) };
}

const raised = (limits: PublicationLimits, { sites, bytes }: Held): PublicationLimits => ({
  ...limits,
  sites: limits.sites === null ? null : limits.sites + sites,
  bytes: limits.bytes === null ? null : limits.bytes + bytes,
});

function lowered<Outcome extends ReserveOutcome | CommitOutcome>(outcome: Outcome, held: Held): Outcome {
  if (outcome.kind !== 'refused' || outcome.code !== 'quota_exceeded') return outcome;
  const { rule, limit, actual } = outcome;
  return { ...outcome, limit: limit - held[rule], actual: actual - held[rule] };
}

function compact(manifest: EncodedManifest): EncodedManifest {
  try {
    return JSON.stringify(JSON.parse(manifest)) as EncodedManifest;
  } catch {
    return manifest;
  }
}

/** What may be wrong with commits. */
export const seventhRoleCommits: Sabotages<RoleStore> = {
  'commit: takes from the rate what a quota refuses': rated({
    takes: (outcome) =>
      outcome.kind === 'committed' || (outcome.kind === 'refused' && outcome.code === 'quota_exceeded'),
  }),
  'commit: keeps how far a rate was taken from in whole milliseconds': rated({
    kept: (mark) => Math.floor(mark / 1_000) * 1_000,
  }),
  'commit: has no quota for what is pinned': () => (store) => ({
    reserve: async (request) => {
      const held = await pinnedOf(store, request.account);
      return lowered(await store.reserve({ ...request, limits: raised(request.limits, held) }), held);
    },
    commit: async (publication, lease, events) => {
      const held = await pinnedOf(store, publication.role.account);
      const limits = raised(publication.limits, held);
      return lowered(await store.commit({ ...publication, limits }, lease, events), held);
    },
  }),
  'commit: counts what expires at its very instant': does(
    'commit',
    async (store, publication, lease, events) => {
      const { now, limits } = publication;
      const wish = { ...wishOf(publication, lease), now: instant(now - 1) };
      const refused = await refusalOf(store, { ...wish, limits: { ...limits, publications: null } });
      if (refused === undefined) return store.commit(publication, lease, events);
      const full = { ...publication, limits: { ...limits, sites: 0 } };
      const outcome = await store.commit(full, lease, events);
      return outcome.kind === 'refused' && outcome.code === 'quota_exceeded' ? refused : outcome;
    },
  ),
  'commit: writes manifests as JSON': asks('commit', (publication, ...rest) => [
    { ...publication, manifest: compact(publication.manifest) },
    ...rest,
  ]),
  'commit: repeated, brings a removed manifest back': withManifests(
    ({ kind }, wasKnown, isThere) => kind === 'committed' && wasKnown && !isThere,
  ),
  'commit: looks at rate and quotas before it tells of a lost lease': does(
    'commit',
    async (store, publication, lease, events) => {
      const outcome = await store.commit(publication, lease, events);
      if (outcome.kind !== 'lease_lost') return outcome;
      return (await refusalOf(store, wishOf(publication, lease))) ?? outcome;
    },
  ),
  'commit: repeated, is refused by what it took itself': does(
    'commit',
    async (store, publication, lease, events) => {
      const [known, outcome] = await Promise.all([
        store.load(publication.role.id),
        store.commit(publication, lease, events),
      ]);
      if (outcome.kind !== 'committed' || known === undefined) return outcome;
      return (await refusalOf(store, wishOf(publication, lease))) ?? outcome;
    },
  ),
  'commit: knows what was committed on its own handle alone': () => (store) => {
    const own = new Set<RoleId>();
    return {
      commit: async (publication, lease, events) => {
        const { id } = publication.role;
        const [known, outcome] = await Promise.all([
          store.load(id),
          store.commit(publication, lease, events),
        ]);
        if (outcome.kind === 'committed' && known !== undefined && !own.has(id)) {
          return { kind: 'lease_lost' };
        }
        if (outcome.kind === 'committed') own.add(id);
        return outcome;
      },
    };
  },
  'commit: does with a purged lease whose key is free': () => {
    const rows = new Map<Token, Reservation>();
    const purged = new Map<Token, Reservation>();
    return (store) => ({
      reserve: (request) => {
        rows.set(request.token, request);
        return store.reserve(request);
      },
      release: (lease) => {
        rows.delete(lease.token);
        return store.release(lease);
      },
      purge: (begunBefore, limit) => {
        for (const [token, row] of rows) if (row.now < begunBefore) purged.set(token, row);
        return store.purge(begunBefore, limit);
      },
      commit: async (publication, lease, events) => {
        const outcome = await store.commit(publication, lease, events);
        const row = purged.get(lease.token);
        if (outcome.kind !== 'lease_lost' || row === undefined) return outcome;
        const again = await store.reserve({ ...row, limits: NONE });
        return again.kind === 'reserved' ? store.commit(publication, again.lease, events) : outcome;
      },
    });
  },
  'claimForCleanup: raises no version when it claims again': () => {
    const skipped = new Map<RoleId, number>();
    const raise = (id: RoleId): number => skipped.get(id) ?? 0;
    return (store) => ({
      load: async (id, signal) => {
        const loaded = await store.load(id, signal);
        return loaded && { ...loaded, version: (loaded.version - raise(id)) as never };
      },
      save: (role, loadedAt, ...rest) => store.save(role, (loadedAt + raise(role.id)) as never, ...rest),
      claimForCleanup: async (request) => {
        const tasks = await store.claimForCleanup(request);
        for (const { role } of tasks) skipped.set(role, (skipped.get(role) ?? -1) + 1);
        return tasks;
      },
    });
  },
  'settleCleanup: waits for the end of the claim before it tries again': () => {
    const untils = new Map<Token, Instant>();
    return (store) => ({
      claimForCleanup: (request) => {
        untils.set(request.token, request.until);
        return store.claimForCleanup(request);
      },
      settleCleanup: (task, outcome, events) => {
        if (outcome.kind === 'removed') return store.settleCleanup(task, outcome, events);
        const retryAt = instant(Math.max(outcome.retryAt, untils.get(task.token) ?? outcome.retryAt));
        return store.settleCleanup(task, { ...outcome, retryAt }, events);
      },
    });
  },
};
