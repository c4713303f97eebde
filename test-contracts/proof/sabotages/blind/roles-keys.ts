import type { Fingerprint, IdempotencyKey, Instant, Lease, RoleId, RoleStore, Token } from '@pinfold/core';
import type { Spoiling } from '../../saboteurs/memory-saboteurs.ts';
import { type Sabotages, waysOf } from '../ways.ts';
import { type Ledger, type Noted, nameOf, noting } from './roles-ledger.ts';

const { asks } = waysOf<RoleStore>();

type Name = Pick<Lease, 'account' | 'key'>;

/** Keeps each key under another name. */
function renaming(begin: () => (name: Name) => Name): Spoiling<RoleStore> {
  return () => {
    const rename = begin();
    const leaseOf = (lease: Lease): Lease => ({ ...lease, ...rename(lease) });
    return (store) => ({
      reserve: async (request) => {
        const outcome = await store.reserve({ ...request, ...rename(request) });
        const { account, key } = request;
        return outcome.kind === 'reserved'
          ? { ...outcome, lease: { ...outcome.lease, account, key } }
          : outcome;
      },
      renew: (lease, until) => store.renew(leaseOf(lease), until),
      release: (lease) => store.release(leaseOf(lease)),
      commit: (publication, lease, events) => store.commit(publication, leaseOf(lease), events),
    });
  };
}

function otherKey(change: (key: string) => string): Spoiling<RoleStore> {
  return renaming(() => ({ account, key }) => ({ account, key: change(key) as IdempotencyKey }));
}

/** Drops those that `isOld` says. */
function purging(isOld: (noted: Noted, begunBefore: Instant) => boolean) {
  return (ledger: Ledger) => {
    const old = (begunBefore: Instant): readonly Noted[] =>
      [...ledger.values()].filter((noted) => !noted.isComplete && isOld(noted, begunBefore));
    return (store: RoleStore): Partial<RoleStore> => ({
      purge: async (begunBefore, limit) => {
        const dropped = old(begunBefore).slice(0, limit);
        for (const { lease } of dropped) await store.release(lease);
        return dropped.length;
      },
      countForCleanup: async (request) => ({
        ...(await store.countForCleanup(request)),
        reservations: old(request.begunBefore).length,
      }),
    });
  };
}

const beganEarlier = ({ begunAt }: Noted, begunBefore: Instant): boolean => begunAt < begunBefore;

export const blindKeySabotages: Sabotages<RoleStore> = {
  'keys are compared without regard to case': otherKey((key) => key.toLowerCase()),
  'spaces at the end of a key do not count': otherKey((key) => key.trimEnd()),
  'keys are told apart by their first 200 characters': otherKey((key) => key.slice(0, 200)),
  'account and key are joined with nothing between them': renaming(() => {
    const first = new Map<string, Name>();
    return ({ account, key }) => {
      const joined = `${account}${key}`;
      if (!first.has(joined)) first.set(joined, { account, key });
      return first.get(joined) as Name;
    };
  }),
  'fingerprints are told apart by their first 255 characters': asks('reserve', (request) => [
    { ...request, fingerprint: request.fingerprint.slice(0, 255) as Fingerprint },
  ]),
  'a reservation that takes a lapsed one over keeps the fingerprint of that': noting((ledger) => (store) => ({
    reserve: async (request) => {
      const before = ledger.get(nameOf(request));
      const outcome = await store.reserve(request);
      if (outcome.kind !== 'reserved' || before === undefined) return outcome;
      await store.release(outcome.lease);
      return await store.reserve({ ...request, fingerprint: before.fingerprint });
    },
  })),
  'a reservation that takes a lapsed one over counts as begun with that': noting((ledger) => (store) => ({
    ...purging(beganEarlier)(ledger)(store),
    reserve: async (request) => {
      const before = ledger.get(nameOf(request));
      const outcome = await store.reserve(request);
      const noted = ledger.get(nameOf(request));
      if (outcome.kind === 'reserved' && before !== undefined && noted !== undefined) {
        ledger.set(nameOf(request), { ...noted, begunAt: before.begunAt });
      }
      return outcome;
    },
  })),
  'reservations are dropped by the instant they last until': noting(
    purging(({ until }, begunBefore) => until < begunBefore),
  ),
  'a renewal never shortens': noting((ledger) => (store) => ({
    renew: async (lease, until) => {
      const noted = ledger.get(nameOf(lease));
      return await store.renew(lease, Math.max(until, noted?.until ?? until) as Instant);
    },
  })),
  'a renewal that is lost prolongs the reservation of who has the key': noting((ledger) => (store) => ({
    renew: async (lease, until) => {
      const outcome = await store.renew(lease, until);
      const noted = ledger.get(nameOf(lease));
      if (outcome.kind === 'lost' && noted !== undefined) await store.renew(noted.lease, until);
      return outcome;
    },
  })),
  'a released key is kept for the fingerprint it had': noting((ledger) => {
    const released = new Map<string, Fingerprint>();
    return (store) => ({
      release: async (lease) => {
        const noted = ledger.get(nameOf(lease));
        await store.release(lease);
        if (noted !== undefined && !ledger.has(nameOf(lease))) {
          released.set(nameOf(lease), noted.fingerprint);
        }
      },
      reserve: async (request) => {
        const kept = released.get(nameOf(request)) ?? request.fingerprint;
        return kept === request.fingerprint ? await store.reserve(request) : { kind: 'mismatch' };
      },
    });
  }),
  'a complete key is free again once its reservation would have lapsed': noting((ledger) => (store) => ({
    reserve: async (request) => {
      const noted = ledger.get(nameOf(request));
      const { account, key, token } = request;
      return noted?.isComplete && noted.until <= request.now
        ? { kind: 'reserved', lease: { account, key, token } }
        : await store.reserve(request);
    },
  })),
  'the lease of a complete key releases it': noting((ledger) => {
    const tokens = new Set<Token>();
    return (store) => ({
      release: async (lease) => {
        if (ledger.get(nameOf(lease))?.lease.token === lease.token) tokens.add(lease.token);
        await store.release(lease);
      },
      reserve: async (request) => {
        const noted = ledger.get(nameOf(request));
        const { account, key, token } = request;
        return noted?.isComplete && tokens.has(noted.lease.token)
          ? { kind: 'reserved', lease: { account, key, token } }
          : await store.reserve(request);
      },
    });
  }),
  'the warnings of a role go with its archive': () => {
    const removed = new Set<RoleId>();
    return (store) => ({
      settleCleanup: async (task, outcome, events) => {
        await store.settleCleanup(task, outcome, events);
        if (outcome.kind === 'removed') removed.add(task.role);
      },
      reserve: async (request) => {
        const outcome = await store.reserve(request);
        return outcome.kind === 'complete' && removed.has(outcome.role)
          ? { ...outcome, warnings: [] }
          : outcome;
      },
    });
  },
  'rate and quotas are asked before a complete key is': () => (store) => ({
    reserve: async (request) => {
      const outcome = await store.reserve(request);
      return outcome.kind === 'complete' ? ((await refusedNow(store, request)) ?? outcome) : outcome;
    },
  }),
};

/** How rate and quotas refuse a publication, if they do. */
async function refusedNow(store: RoleStore, request: Parameters<RoleStore['reserve']>[0]) {
  const probe = { ...request, key: 'a key nobody has asked for yet' as IdempotencyKey };
  const outcome = await store.reserve(probe);
  if (outcome.kind === 'reserved') await store.release(outcome.lease);
  return outcome.kind === 'refused' ? outcome : undefined;
}
