import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Fingerprint, IdempotencyKey, Instant, Lease, Reservation, ReserveOutcome } from '@pinfold/core';
import { withLedger } from './ledger.ts';
import { type RoleSaboteur, saboteur } from './subjects.ts';

function lowerKey<Named extends { readonly key: IdempotencyKey }>(named: Named): Named {
  return { ...named, key: named.key.toLowerCase() };
}

export const keySaboteurs: readonly RoleSaboteur[] = [
  saboteur('role-store/reserve-free', 'keys are compared without case', () => (store) => ({
    reserve: async (request) => {
      const outcome = await store.reserve(lowerKey(request));
      if (outcome.kind !== 'reserved') return outcome;
      return { kind: 'reserved', lease: { ...outcome.lease, key: request.key } };
    },
    renew: (lease, until) => store.renew(lowerKey(lease), until),
    release: (lease) => store.release(lowerKey(lease)),
    commit: (publication, lease, events) => store.commit(publication, lowerKey(lease), events),
  })),
  saboteur(
    'role-store/reserve-in-progress',
    'asking for a held key prolongs it',
    withLedger((ledger) => (store) => ({
      reserve: async (request) => {
        const outcome = await store.reserve(request);
        const held = ledger.holder(request);
        if (outcome.kind === 'in_progress' && held !== undefined)
          await store.renew(held.request, request.until);
        return outcome;
      },
    })),
    ['role-store/reserve-lapsed', 'role-store/renew-held', 'role-store/at-once'],
  ),
  saboteur('role-store/reserve-mismatch', 'fingerprints are compared without case', () => (store) => ({
    reserve: (request) =>
      store.reserve({ ...request, fingerprint: request.fingerprint.toLowerCase() as Fingerprint }),
  })),
  saboteur(
    'role-store/reserve-complete',
    'the warnings are forgotten',
    () => (store) => ({
      reserve: async (request) => {
        const outcome = await store.reserve(request);
        return outcome.kind === 'complete' ? { ...outcome, warnings: [] } : outcome;
      },
    }),
    ['role-store/commit-large'],
  ),
  saboteur(
    'role-store/reserve-lapsed',
    'a reservation lapses after its instant, not at it',
    withLedger((ledger) => (store) => ({
      reserve: async (request) => {
        const held = ledger.holder(request);
        if (held?.until !== request.now) return await store.reserve(request);
        return { kind: 'in_progress', until: held.until };
      },
    })),
    [
      'role-store/reserve-race',
      'role-store/renew-held',
      'role-store/renew-lost',
      'role-store/release-only-own',
      'role-store/commit-lease-lost',
    ],
  ),
  saboteur(
    'role-store/reserve-race',
    'reserving looks first and writes later',
    withLedger((ledger) => (store) => {
      const isFree = (request: Reservation): boolean => {
        const held = ledger.holder(request);
        return held === undefined || held.until <= request.now;
      };
      return {
        reserve: async (request): Promise<ReserveOutcome> => {
          const free = isFree(request);
          await nextTurn();
          const held = ledger.holder(request);
          if (free && held !== undefined) await store.release(held.request);
          return await store.reserve(request);
        },
      };
    }),
    ['role-store/reserve-quota'],
  ),
  saboteur(
    'role-store/renew-held',
    'renewing says held and keeps the instant',
    withLedger((ledger) => (store) => ({
      renew: (lease, until) => store.renew(lease, ledger.holder(lease)?.until ?? until),
    })),
    ['role-store/same-question', 'role-store/at-once'],
  ),
  saboteur(
    'role-store/renew-lost',
    'renewing prolongs whoever holds the key',
    withLedger((ledger) => (store) => ({
      renew: (lease, until) => store.renew(ledger.holder(lease)?.request ?? lease, until),
    })),
    ['role-store/reserve-lapsed', 'role-store/same-question', 'role-store/at-once'],
  ),
  saboteur(
    'role-store/release-frees',
    'releasing waits for the lease to lapse',
    () => () => ({
      release: async () => {},
    }),
    [
      'role-store/renew-lost',
      'role-store/commit-lease-lost',
      'role-store/unreachable',
      'role-store/same-question',
      'role-store/at-once',
    ],
  ),
  saboteur(
    'role-store/release-frees',
    'a handle goes by what it was told of a key',
    () => (store) => {
      let told: { readonly key: IdempotencyKey; readonly until: Instant } | undefined;
      return {
        reserve: async (request) => {
          const { key, now } = request;
          if (key === told?.key && now < told.until) return { kind: 'in_progress', until: told.until };
          const outcome = await store.reserve(request);
          told = outcome.kind === 'in_progress' ? { key, until: outcome.until } : undefined;
          return outcome;
        },
        renew: (lease, until) => {
          told = undefined;
          return store.renew(lease, until);
        },
        release: (lease) => {
          told = undefined;
          return store.release(lease);
        },
      };
    },
    ['role-store/reserve-mismatch', 'role-store/renew-held', 'role-store/at-once'],
  ),
  saboteur(
    'role-store/release-only-own',
    'releasing looks at the key alone',
    withLedger((ledger) => (store) => ({
      release: (lease: Lease) => store.release(ledger.holder(lease)?.request ?? lease),
    })),
  ),
];
