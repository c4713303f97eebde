import {
  type ArchiveId,
  after,
  before,
  type CleanupRequest,
  duration,
  type Instant,
  type RoleStore,
  type Token,
  type Version,
} from '@pinfold/core';
import type { Spoiling } from '../saboteurs/memory-saboteurs.ts';
import { type Sabotages, waysOf } from './ways.ts';

const {
  answers,
  asks,
  coversUp,
  does,
  hurries,
  isCurtIn,
  isDeafIn,
  isRawIn,
  keeps,
  listensIn,
  wrapsAbortsIn,
} = waysOf<RoleStore>();

const MOMENT = duration(1);

/** Claims something else than was asked for. */
function claims(change: (request: CleanupRequest) => Partial<CleanupRequest>): Spoiling<RoleStore> {
  return asks('claimForCleanup', (request) => [{ ...request, ...change(request) }]);
}

/** Settles something else than was asked for. */
function settles(
  change: (outcome: 'removed' | 'failed') => 'removed' | 'failed' | 'nothing',
): Spoiling<RoleStore> {
  return does('settleCleanup', async (store, task, outcome, events) => {
    const kind = change(outcome.kind);
    if (kind === 'removed') await store.settleCleanup(task, { kind }, events);
    if (kind === 'failed') {
      const retryAt = outcome.kind === 'failed' ? outcome.retryAt : (0 as Instant);
      await store.settleCleanup(task, { kind, retryAt }, events);
    }
  });
}

const claimSabotages: Sabotages<RoleStore> = {
  'nothing is claimed': does('claimForCleanup', async () => []),
  'what did not end is claimed': claims(() => ({ endedBefore: 9_007_199_254_740_991 as Instant })),
  'what ended at the instant is not claimed': claims(({ endedBefore }) => ({
    endedBefore: before(endedBefore, MOMENT),
  })),
  'what ends a millisecond later is claimed': claims(({ endedBefore }) => ({
    endedBefore: after(endedBefore, MOMENT),
  })),
  'claims are by the clock of the host': claims(() => ({ now: Date.now() as Instant })),
  'a claim takes one more': claims(({ limit }) => ({ limit: limit + 1 })),
  'a claim lasts a millisecond more': claims(({ until }) => ({ until: after(until, MOMENT) })),
  'a claim lasts a millisecond less': claims(({ until }) => ({ until: before(until, MOMENT) })),
  'a claim lasts for ever': claims(() => ({ until: 9_007_199_254_740_991 as Instant })),
  'all claims have one token': claims(() => ({ token: 'one' as Token })),
  'a claim is told with another token': answers('claimForCleanup', (tasks) =>
    tasks.map((task) => ({ ...task, token: 'another' as Token })),
  ),
  'failures are not told': answers('claimForCleanup', (tasks) =>
    tasks.map((task) => ({ ...task, failures: 0 })),
  ),
  'accounts are not told': answers('claimForCleanup', (tasks) =>
    tasks.map((task) => ({ ...task, account: '' as typeof task.account })),
  ),
  'a claim holds for nobody': does('claimForCleanup', async (store, request) => {
    const tasks = await store.claimForCleanup(request);
    for (const task of tasks) await store.settleCleanup(task, { kind: 'failed', retryAt: 0 as Instant }, []);
    return tasks.map((task) => ({ ...task }));
  }),
  'those that ended last are claimed first': does('claimForCleanup', async (store, request) => {
    const all = await store.claimForCleanup({ ...request, limit: 100_000 });
    const wanted = all.toReversed().slice(0, request.limit);
    for (const task of all) {
      if (wanted.includes(task)) continue;
      await store.settleCleanup(task, { kind: 'failed', retryAt: 0 as Instant }, []);
    }
    return wanted;
  }),
  'claims do not raise the version': () => {
    const seen = new Map<string, number>();
    return (store) => ({
      claimForCleanup: async (request) => {
        const tasks = await store.claimForCleanup(request);
        for (const { role } of tasks) seen.set(role, (seen.get(role) ?? 0) + 1);
        return tasks;
      },
      load: async (id, signal) => {
        const found = await store.load(id, signal);
        return found && { ...found, version: (found.version - (seen.get(id) ?? 0)) as Version };
      },
      save: (role, version, events) =>
        store.save(role, (version + (seen.get(role.id) ?? 0)) as Version, events),
    });
  },
  'a store that does not answer has nothing to claim': coversUp('claimForCleanup', []),
  'settling does nothing': settles(() => 'nothing'),
  'a removal that failed is a removal': settles(() => 'removed'),
  'a removal is one that failed': settles(() => 'failed'),
  'settling answers before it is done': hurries('settleCleanup', undefined),
  'a retry is a millisecond early': asks('settleCleanup', (task, outcome, events) => [
    task,
    outcome.kind === 'failed' ? { ...outcome, retryAt: before(outcome.retryAt, MOMENT) } : outcome,
    events,
  ]),
  'a retry is a millisecond late': asks('settleCleanup', (task, outcome, events) => [
    task,
    outcome.kind === 'failed' ? { ...outcome, retryAt: after(outcome.retryAt, MOMENT) } : outcome,
    events,
  ]),
  'settling does not look at tokens': () => {
    const tokens = new Map<string, Token>();
    return (store) => ({
      claimForCleanup: async (request) => {
        const tasks = await store.claimForCleanup(request);
        for (const { role, token } of tasks) tokens.set(role, token);
        return tasks;
      },
      settleCleanup: (task, outcome, events) =>
        store.settleCleanup({ ...task, token: tokens.get(task.role) ?? task.token }, outcome, events),
    });
  },
  'what fails in settling comes out raw': isRawIn('settleCleanup'),
};

const sweepSabotages: Sabotages<RoleStore> = {
  'nothing is counted': does('countForCleanup', async () => ({ archives: 0, reservations: 0 })),
  'counting claims': does('countForCleanup', async (store, request) => {
    const { now } = request;
    const tasks = await store.claimForCleanup({
      ...request,
      token: 'count' as Token,
      until: now,
      limit: 10_000,
    });
    return { ...(await store.countForCleanup(request)), archives: tasks.length };
  }),
  'counts are 1,000 at most': answers('countForCleanup', ({ archives, reservations }) => ({
    archives: Math.min(archives, 1_000),
    reservations: Math.min(reservations, 1_000),
  })),
  'reservations of the instant are counted': asks('countForCleanup', (request) => [
    { ...request, begunBefore: after(request.begunBefore, MOMENT) },
  ]),
  'what ended at the instant is not counted': asks('countForCleanup', (request) => [
    { ...request, endedBefore: before(request.endedBefore, MOMENT) },
  ]),
  'counts are kept': keeps('countForCleanup'),
  'everything asked for is named': does('whichAreNamed', async (_, ids) => new Set(ids)),
  'nothing is named': does('whichAreNamed', async () => new Set<ArchiveId>()),
  'no more than 500 are looked for': asks('whichAreNamed', (ids) => [ids.slice(0, 500)]),
  'names are kept': keeps('whichAreNamed'),
  'a store that does not answer names nothing': coversUp('whichAreNamed', new Set<ArchiveId>()),
  'a walk of archives is descending': answers('listArchives', (page) => page.toReversed()),
  'a walk of archives has the id it is behind': does('listArchives', async (store, place, limit) => {
    const page = await store.listArchives(place, limit);
    return place === undefined || page.length === 0 ? page : [place, ...page].slice(0, limit);
  }),
  'a walk of archives has one more than its limit': asks('listArchives', (place, limit) => [
    place,
    limit + 1,
  ]),
  'a walk of archives goes on behind the millisecond': asks('listArchives', (place, limit) => [
    place && (`${place.slice(0, 13)}-g` as ArchiveId),
    limit,
  ]),
  'a walk of archives is kept': keeps('listArchives'),
  'a walk of archives ends after five pages': () => (store) => {
    let pages = 0;
    return {
      listArchives: async (place, limit) => {
        pages = place === undefined ? 1 : pages + 1;
        return pages > 5 ? [] : await store.listArchives(place, limit);
      },
    };
  },
  'a store that does not answer has no archives': coversUp('listArchives', []),
  'reservations stay': does('purge', async () => 0),
  'reservations of the instant go': asks('purge', (begunBefore, limit) => [
    after(begunBefore, MOMENT),
    limit,
  ]),
  'reservations a millisecond older stay': asks('purge', (begunBefore, limit) => [
    before(begunBefore, MOMENT),
    limit,
  ]),
  'a purge does not look at its limit': asks('purge', (begunBefore) => [begunBefore, 100_000]),
  'a purge takes a hundred at most': asks('purge', (begunBefore, limit) => [
    begunBefore,
    Math.min(limit, 100),
  ]),
  'a purge says its limit': answers('purge', (count, _, limit) => (count === 0 ? 0 : limit)),
  'a purge that cannot be made is made': coversUp('purge', 0),
  'a comparison is forgotten': does('keepComparison', async () => ({
    kind: 'kept' as const,
    version: 1 as Version,
  })),
  'the last comparison wins': does('keepComparison', async (store, comparison) =>
    store.keepComparison(comparison, (await store.loadComparison())?.version),
  ),
  'orphans are cut at a hundred': asks('keepComparison', (comparison, version) => [
    { ...comparison, orphans: comparison.orphans.slice(0, 100) },
    version,
  ]),
  'a refusal is forgotten': asks('keepComparison', (comparison, version) => [
    { ...comparison, isRefused: false },
    version,
  ]),
  'a comparison is kept by each handle': keeps('loadComparison'),
  'no comparison is an empty one': answers(
    'loadComparison',
    (found) => found ?? { value: {} as never, version: 0 as Version },
  ),
  'a fault of a comparison has no cause': isCurtIn('loadComparison'),
  'loading does not look at its signal': isDeafIn('load'),
  'an abort of a load is a fault': wrapsAbortsIn('load', 'store_unavailable'),
  'loading a manifest does not look at its signal': isDeafIn('loadManifest'),
  'loading goes on listening': listensIn('load'),
  'loading a manifest goes on listening': listensIn('loadManifest'),
};

export const cleaningSabotages: Sabotages<RoleStore> = { ...claimSabotages, ...sweepSabotages };
