import { NORMAL } from '@pinfold/core/adapter';
import type { ClauseTable, StoreSubject } from '../contract.ts';
import { anEvent } from '../fixtures/roles.ts';
import { sharedClauses } from '../shared-clauses.ts';
import type { ModeStores } from './subject.ts';

export const reachClauses: ClauseTable<ModeStores, StoreSubject<ModeStores>> = sharedClauses<
  ModeStores,
  ModeStores['mode'],
  'load'
>({
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
