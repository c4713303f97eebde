import type { TakedownStore } from '@pinfold/core';
import type { Clause, StoreSubject } from '../contract.ts';
import { expectFaults } from '../expect-faults.ts';
import { START } from '../fixtures/clock.ts';
import { anEvent, aRoleId, aSha256, aToken } from '../fixtures/roles.ts';
import { aTakedown } from '../fixtures/takedowns.ts';
import type { TakedownStores } from './subject.ts';

/** What shows when nobody answers. */
export const reachClauses: readonly Clause<TakedownStores, StoreSubject<TakedownStores>>[] = [
  {
    id: 'takedown-store/unreachable',
    says: 'while the database does not answer, every call rejects with the fault store_unavailable and what caused it',
    check: async ({ unreachable }) => {
      const { takedowns } = await unreachable();
      const [sha256, after] = [aSha256(1), undefined];
      const calls: Readonly<Record<keyof TakedownStore, Promise<unknown>>> = {
        takeDown: takedowns.takeDown(aTakedown(1), undefined, [anEvent()]),
        lift: takedowns.lift(aTakedown(1), START, [anEvent()]),
        isForbidden: takedowns.isForbidden(sha256),
        of: takedowns.of([aRoleId(1)]),
        list: takedowns.list({ sha256, after, limit: 10 }),
        copies: takedowns.copies({ sha256, now: START, after, limit: 10 }),
        claimPurge: takedowns.claimPurge({ role: aRoleId(1), token: aToken(1), until: START }),
      };
      await expectFaults('store_unavailable', calls);
    },
  },
];
