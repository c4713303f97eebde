import { type Contract, type StoreSubject, toClauses } from '../contract.ts';
import { aRoleId } from '../fixtures/roles.ts';
import { aTakedown } from '../fixtures/takedowns.ts';
import { harnessClauses } from '../harness.ts';
import type { TakedownStores } from '../stores.ts';
import { forbiddingClauses } from './forbidding.ts';
import { purgingClauses } from './purging.ts';
import { reachClauses } from './reach.ts';
import { readingClauses } from './reading.ts';
import { takenEvent } from './taken.ts';
import { takingClauses } from './taking.ts';

/** What every {@link TakedownStore} promises, beside the stores of its database. */
export const takedownStoreContract: Contract<TakedownStores, StoreSubject<TakedownStores>> = {
  port: 'TakedownStore',
  harness: harnessClauses('takedown-store', {
    write: async ({ takedowns }, n) => {
      await takedowns.takeDown(aTakedown(n), undefined, [takenEvent(aTakedown(n))]);
    },
    sees: async ({ takedowns }, n) => (await takedowns.of([aRoleId(n)])).length === 1,
  }),
  clauses: toClauses({
    ...takingClauses,
    ...forbiddingClauses,
    ...readingClauses,
    ...purgingClauses,
    ...reachClauses,
  }),
};
