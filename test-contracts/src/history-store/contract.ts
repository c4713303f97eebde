import { type Contract, type StoreSubject, toClauses } from '../contract.ts';
import { anEvent, uuidOf } from '../fixtures/roles.ts';
import { aSession } from '../fixtures/sessions.ts';
import { harnessClauses } from '../harness.ts';
import type { HistoryStores } from '../stores.ts';
import { expiringClauses } from './expiring.ts';
import { feedingClauses } from './feeding.ts';
import { keepingClauses } from './keeping.ts';
import { reachClauses } from './reach.ts';
import { readingClauses } from './reading.ts';
import { told } from './told.ts';

/** What every {@link HistoryStore} promises, and the stores whose events it gives. */
export const historyStoreContract: Contract<HistoryStores, StoreSubject<HistoryStores>> = {
  port: 'HistoryStore',
  harness: harnessClauses('history-store', {
    write: async (port, n) => {
      await port.sessions.begin(aSession(n), [anEvent({ request: uuidOf(n) })]);
    },
    sees: async (port, n) => (await told(port)).some(({ request }) => request === uuidOf(n)),
  }),
  clauses: toClauses({
    ...keepingClauses,
    ...readingClauses,
    ...feedingClauses,
    ...expiringClauses,
    ...reachClauses,
  }),
};
