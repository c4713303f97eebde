import type { Instant, Lease, Reservation, RoleStore } from '@pinfold/core';
import { replacing } from '@pinfold/test-contracts/fixtures';
import type { Spoiling } from './mutant.ts';

/** A reservation, as seen by the callers of the store. */
export interface Held {
  readonly request: Reservation;
  readonly until: Instant;
}

/** Records reservations, which the port does not list. */
export class Ledger {
  readonly #rows: Map<string, Held> = new Map();

  /** The reservation of a key, lapsed or not; none where the key is complete. */
  holder({ account, key }: Pick<Lease, 'account' | 'key'>): Held | undefined {
    return this.#rows.get(`${account}\n${key}`);
  }

  all(): readonly Held[] {
    return [...this.#rows.values()];
  }

  /** The methods of a store that update the ledger. */
  methodsOf(store: RoleStore): Pick<RoleStore, 'reserve' | 'renew' | 'release' | 'commit'> {
    return {
      reserve: async (request) => {
        const outcome = await store.reserve(request);
        if (outcome.kind === 'reserved') this.#put(request, request.until);
        return outcome;
      },
      renew: async (lease, until) => {
        const outcome = await store.renew(lease, until);
        const held = this.holder(lease);
        if (outcome.kind === 'held' && held !== undefined) this.#put(held.request, until);
        return outcome;
      },
      release: async (lease) => {
        await store.release(lease);
        if (this.holder(lease)?.request.token === lease.token) this.#drop(lease);
      },
      commit: async (publication, lease, events) => {
        const outcome = await store.commit(publication, lease, events);
        if (outcome.kind === 'committed') this.#drop(lease);
        return outcome;
      },
    };
  }

  #put(request: Reservation, until: Instant): void {
    this.#rows.set(`${request.account}\n${request.key}`, { request, until });
  }

  #drop({ account, key }: Lease): void {
    this.#rows.delete(`${account}\n${key}`);
  }
}

/** Breaks a store with the help of a ledger. */
export function withLedger(
  spoiling: (ledger: Ledger) => (store: RoleStore) => Partial<RoleStore>,
): Spoiling<RoleStore> {
  return () => {
    const ledger = new Ledger();
    const methods = spoiling(ledger);
    return (store) => {
      const kept = ledger.methodsOf(store);
      return { ...kept, ...methods(replacing(store, kept)) };
    };
  };
}
