import type { ServiceMode } from '@pinfold/core';
import type { Clause, StoreSubject } from '../contract.ts';
import { expectFaults } from '../expect-faults.ts';
import { anEvent } from '../fixtures/roles.ts';
import type { ModeStores } from './subject.ts';

export const reachClauses: readonly Clause<ModeStores, StoreSubject<ModeStores>>[] = [
  {
    id: 'service-mode/unreachable',
    says: 'while the database does not answer, every call rejects with the fault store_unavailable and what caused it',
    check: async ({ unreachable }) => {
      const { mode } = await unreachable();
      const calls: Readonly<Record<keyof ServiceMode, Promise<unknown>>> = {
        load: mode.load(),
        change: mode.change({ kind: 'read_only', message: null }, [anEvent()]),
      };
      await expectFaults('store_unavailable', calls);
    },
  },
];
