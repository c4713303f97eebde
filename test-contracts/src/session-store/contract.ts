import type { SessionStore } from '@pinfold/core';
import { type Contract, type StoreSubject, toClauses } from '../contract.ts';
import { START } from '../fixtures/clock.ts';
import { anEvent } from '../fixtures/roles.ts';
import { aSession, aTokenHash } from '../fixtures/sessions.ts';
import { harnessClauses } from '../harness.ts';
import { sessionClauses } from './clauses.ts';
import { boundClauses, endingClauses } from './ending.ts';
import { listClauses } from './list.ts';
import { reachClauses } from './reach.ts';

/** The clauses of every {@link SessionStore}. */
export const sessionStoreContract: Contract<SessionStore, StoreSubject<SessionStore>> = {
  port: 'SessionStore',
  harness: harnessClauses('session-store', {
    write: async (port, n) => {
      await port.begin(aSession(n), [anEvent()]);
    },
    sees: async (port, n) => (await port.find(aTokenHash(n), START)) !== undefined,
  }),
  clauses: toClauses({
    ...sessionClauses,
    ...boundClauses,
    ...endingClauses,
    ...listClauses,
    ...reachClauses,
  }),
};
