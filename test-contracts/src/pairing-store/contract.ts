import { type Contract, type StoreSubject, toClauses } from '../contract.ts';
import { START } from '../fixtures/clock.ts';
import { aRegistration } from '../fixtures/pairings.ts';
import { harnessClauses } from '../harness.ts';
import type { PairingStores } from '../stores.ts';
import { agreeingClauses } from './agreeing.ts';
import { takingClauses } from './taking.ts';

/** The clauses of every `PairingStore`, with the stores of the same database. */
export const pairingStoreContract: Contract<PairingStores, StoreSubject<PairingStores>> = {
  port: 'PairingStore',
  harness: harnessClauses('pairing-store', {
    write: async ({ pairings }, n) => {
      await pairings.register(aRegistration(n));
    },
    sees: async ({ pairings }, n) => (await pairings.find(aRegistration(n).secretHash, START)) !== undefined,
  }),
  clauses: toClauses({ ...agreeingClauses, ...takingClauses }),
};
