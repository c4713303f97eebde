import { NORMAL } from '@pinfold/core/adapter';
import { type Contract, type StoreSubject, toClauses } from '../contract.ts';
import { anEvent, uuidOf } from '../fixtures/roles.ts';
import { harnessClauses } from '../harness.ts';
import { told } from '../history-store/told.ts';
import { sharedClauses } from '../shared-clauses.ts';
import type { ModeStores, StoreClauses } from '../stores.ts';
import { boundClauses } from './bounds.ts';
import { modeClauses } from './clauses.ts';

const reachClauses: StoreClauses<ModeStores> = sharedClauses<ModeStores, ModeStores['mode'], 'load'>({
  suite: 'service-mode',
  portOf: ({ mode }) => mode,
  prepare: async () => {},
  reads: { load: (mode, signal) => mode.load(signal) },
  writes: { change: (mode, _, n) => mode.change({ kind: 'read_only', message: `${n}` }, [anEvent()]) },
  aborted: { load: 'load-aborted' },
  changes: {
    'read-only mode': ({ mode }) => mode.change({ kind: 'read_only', message: null }, [anEvent()]),
    'a message': ({ mode }) => mode.change({ kind: 'read_only', message: 'Back at noon' }, [anEvent()]),
    'normal mode': ({ mode }) => mode.change(NORMAL, [anEvent()]),
  },
});

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
