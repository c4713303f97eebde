import type { Fingerprint, Instant, Lease, RoleStore } from '@pinfold/core';
import type { Spoiling } from '../../saboteurs/memory-saboteurs.ts';

/** What a wrong store has noted of a key. */
export interface Noted {
  readonly lease: Lease;
  readonly fingerprint: Fingerprint;
  readonly begunAt: Instant;
  readonly until: Instant;
  readonly isComplete: boolean;
}

/** By {@link nameOf}. */
export type Ledger = Map<string, Noted>;

export function nameOf({ account, key }: Pick<Lease, 'account' | 'key'>): string {
  return JSON.stringify([account, key]);
}

/** A store that notes what becomes of its keys; what `make` gives is in its place. */
export function noting(
  make: (ledger: Ledger) => (store: RoleStore) => Partial<RoleStore>,
): Spoiling<RoleStore> {
  return () => {
    const ledger: Ledger = new Map();
    const methodsOf = make(ledger);
    return (sound) => {
      const methods = notingMethods(sound, ledger);
      return { ...methods, ...methodsOf({ ...sound, ...methods }) };
    };
  };
}

type Noting = Pick<RoleStore, 'reserve' | 'renew' | 'release' | 'commit'>;

function notingMethods(sound: RoleStore, ledger: Ledger): Noting {
  const change = (lease: Lease, what: Partial<Noted>): void => {
    const noted = ledger.get(nameOf(lease));
    if (noted !== undefined) ledger.set(nameOf(lease), { ...noted, ...what });
  };
  return {
    reserve: async (request) => {
      const outcome = await sound.reserve(request);
      if (outcome.kind === 'reserved') {
        const { fingerprint, now: begunAt, until } = request;
        ledger.set(nameOf(request), {
          lease: outcome.lease,
          fingerprint,
          begunAt,
          until,
          isComplete: false,
        });
      }
      return outcome;
    },
    renew: async (lease, until) => {
      const outcome = await sound.renew(lease, until);
      if (outcome.kind === 'held') change(lease, { until });
      return outcome;
    },
    release: async (lease) => {
      await sound.release(lease);
      const noted = ledger.get(nameOf(lease));
      if (noted?.lease.token === lease.token && !noted.isComplete) ledger.delete(nameOf(lease));
    },
    commit: async (publication, lease, events) => {
      const outcome = await sound.commit(publication, lease, events);
      if (outcome.kind === 'committed') change(lease, { isComplete: true });
      return outcome;
    },
  };
}
