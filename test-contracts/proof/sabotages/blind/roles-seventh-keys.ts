import {
  type AccountId,
  type Fingerprint,
  type Instant,
  instant,
  type Lease,
  type ReserveOutcome,
  type RoleId,
  type RoleStore,
  type Token,
} from '@pinfold/core';
import { type Sabotages, waysOf } from '../ways.ts';
import { FULL, filed, isFull, NONE, nameOf, refusalOf } from './roles-seventh-ways.ts';

const { answers, asks, does, isCurtIn } = waysOf<RoleStore>();

/** What may be wrong with keys while a publication runs. */
export const seventhRoleKeys: Sabotages<RoleStore> = {
  'keys: are filed under account and key with a bar between': filed(
    ({ account, key }) => `${account}|${key}`,
  ),
  'keys: are filed under the account in NFC': filed(({ account, key }) =>
    nameOf({ account: account.normalize('NFC') as AccountId, key }),
  ),
  'reserve: tells of a renewed reservation when it would have lapsed': () => {
    const untils = new Map<string, Instant>();
    return (store) => ({
      reserve: async (request) => {
        const outcome = await store.reserve(request);
        if (outcome.kind === 'reserved') untils.set(nameOf(request), request.until);
        if (outcome.kind !== 'in_progress') return outcome;
        return { ...outcome, until: untils.get(nameOf(request)) ?? outcome.until };
      },
    });
  },
  'renew: never shortens': () => {
    const untils = new Map<Token, Instant>();
    return (store) => ({
      reserve: (request) => {
        untils.set(request.token, request.until);
        return store.reserve(request);
      },
      renew: (lease, until) => {
        const latest = instant(Math.max(until, untils.get(lease.token) ?? until));
        untils.set(lease.token, latest);
        return store.renew(lease, latest);
      },
    });
  },
  'reserve: leaves the fingerprint of what had lapsed': () => {
    const first = new Map<string, Fingerprint>();
    return (store) => ({
      reserve: async (request) => {
        const name = nameOf(request);
        const isFree = isFull(await store.reserve({ ...request, limits: FULL }));
        const fingerprint = (isFree ? first.get(name) : undefined) ?? request.fingerprint;
        const outcome = await store.reserve({ ...request, fingerprint });
        if (outcome.kind === 'reserved') first.set(name, fingerprint);
        return outcome;
      },
      release: (lease) => {
        first.delete(nameOf(lease));
        return store.release(lease);
      },
      purge: (begunBefore, limit) => {
        first.clear();
        return store.purge(begunBefore, limit);
      },
    });
  },
  'reserve: leaves the beginning of what had lapsed': () => {
    const begun = new Map<string, Instant>();
    return (store) => ({
      reserve: async (request) => {
        const outcome = await store.reserve(request);
        if (outcome.kind !== 'reserved') return outcome;
        const now = begun.get(nameOf(request)) ?? request.now;
        begun.set(nameOf(request), now);
        if (now === request.now) return outcome;
        void store.release(outcome.lease);
        return store.reserve({ ...request, now, limits: NONE });
      },
      release: (lease) => {
        begun.delete(nameOf(lease));
        return store.release(lease);
      },
      purge: (begunBefore, limit) => {
        begun.clear();
        return store.purge(begunBefore, limit);
      },
    });
  },
  'reserve: tells in whole seconds when one would pass': answers('reserve', (outcome) => {
    if (outcome.kind !== 'refused' || outcome.code !== 'rate_limited') return outcome;
    return { ...outcome, retryAt: instant(Math.ceil(outcome.retryAt / 1_000) * 1_000) };
  }),
  'reserve: looks at rate and quotas before it tells of a mismatch': does(
    'reserve',
    async (store, request) => {
      const outcome = await store.reserve(request);
      return outcome.kind === 'mismatch' ? ((await refusalOf(store, request)) ?? outcome) : outcome;
    },
  ),
  'reserve: has 32 bits for the bytes of an archive': asks('reserve', (request) => [
    { ...request, archiveBytes: request.archiveBytes >>> 0 },
  ]),
  'reserve: prolongs what is a mismatch': () => {
    const leases = new Map<string, Lease>();
    return (store) => ({
      reserve: async (request) => {
        const outcome = await store.reserve(request);
        const lease = leases.get(nameOf(request));
        if (outcome.kind === 'reserved') leases.set(nameOf(request), outcome.lease);
        if (outcome.kind === 'mismatch' && lease !== undefined) await store.renew(lease, request.until);
        return outcome;
      },
    });
  },
  'reserve: takes the latest instant it was ever asked at for now': () => (store) => {
    let latest = instant(0);
    return {
      reserve: (request) => {
        latest = instant(Math.max(latest, request.now));
        return store.reserve({ ...request, now: latest });
      },
    };
  },
  'reserve: remembers until when a key is in progress': () => (store) => {
    const busy = new Map<string, Extract<ReserveOutcome, { kind: 'in_progress' }>>();
    return {
      reserve: async (request) => {
        const asked = JSON.stringify([nameOf(request), request.fingerprint]);
        const known = busy.get(asked);
        if (known !== undefined && request.now < known.until) return known;
        const outcome = await store.reserve(request);
        if (outcome.kind === 'in_progress') busy.set(asked, outcome);
        return outcome;
      },
    };
  },
  'reserve: remembers until when an account is past its rate': () => (store) => {
    const past = new Map<AccountId, Extract<ReserveOutcome, { code: 'rate_limited' }>>();
    return {
      reserve: async (request) => {
        const known = past.get(request.account);
        if (known !== undefined && request.now < known.retryAt) return known;
        const outcome = await store.reserve(request);
        if (outcome.kind === 'refused' && outcome.code === 'rate_limited') past.set(request.account, outcome);
        return outcome;
      },
    };
  },
  'reserve: has no warnings once the archive is removed': () => {
    const removed = new Set<RoleId>();
    return (store) => ({
      settleCleanup: async (task, outcome, events) => {
        await store.settleCleanup(task, outcome, events);
        if ((await store.whichAreNamed([task.archive])).size === 0) removed.add(task.role);
      },
      reserve: async (request) => {
        const outcome = await store.reserve(request);
        return outcome.kind === 'complete' && removed.has(outcome.role)
          ? { ...outcome, warnings: [] }
          : outcome;
      },
    });
  },
  'release: lets the reservation lapse': does('release', async (store, lease) => {
    await store.renew(lease, instant(0));
  }),
  'keepComparison: does not say what caused its fault': isCurtIn('keepComparison'),
};
