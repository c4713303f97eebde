import { type Contract, type StoreSubject, toClauses } from '../contract.ts';
import { anEvent, uuidOf } from '../fixtures/roles.ts';
import { harnessClauses } from '../harness.ts';
import { told } from '../history-store/told.ts';
import type { ModeStores } from '../stores.ts';
import { boundClauses } from './bounds.ts';
import { modeClauses } from './clauses.ts';
import { reachClauses } from './reach.ts';

/** What every `ServiceMode` promises, beside the stores of its database. */
export const serviceModeContract: Contract<ModeStores, StoreSubject<ModeStores>> = {
  port: 'ServiceMode',
  harness: harnessClauses('service-mode', {
    write: ({ mode }, n) =>
      mode.change({ kind: 'read_only', message: `${n}` }, [anEvent({ request: uuidOf(n) })]),
    sees: async (stores, n) => (await told(stores)).some(({ request }) => request === uuidOf(n)),
  }),
  clauses: toClauses({ ...modeClauses, ...boundClauses, ...reachClauses }),
};
