import { NORMAL } from '@pinfold/core/adapter';
import { anEvent } from '../fixtures/roles.ts';
import { sharedClauses } from '../shared-clauses.ts';
import type { ModeStores, StoreClauses } from '../stores.ts';

export const reachClauses: StoreClauses<ModeStores> = sharedClauses<ModeStores, ModeStores['mode'], 'load'>({
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
