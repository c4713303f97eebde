import { type Contract, type StoreSubject, toClauses } from '../contract.ts';
import { START } from '../fixtures/clock.ts';
import { anEvent, aPublication, aRoleId, aSha256, aToken, publishTo } from '../fixtures/roles.ts';
import { aTakedown } from '../fixtures/takedowns.ts';
import { harnessClauses } from '../harness.ts';
import { sharedClauses } from '../shared-clauses.ts';
import type { StoreClauses, TakedownStores } from '../stores.ts';
import { forbiddingClauses } from './forbidding.ts';
import { purgingClauses } from './purging.ts';
import { readingClauses } from './reading.ts';
import { takenEvent } from './taken.ts';
import { takingClauses } from './taking.ts';

const [sha256, after] = [aSha256(1), undefined];

const reachClauses: StoreClauses<TakedownStores> = sharedClauses<
  TakedownStores,
  TakedownStores['takedowns'],
  'copies' | 'isForbidden' | 'list' | 'of'
>({
  suite: 'takedown-store',
  portOf: ({ takedowns }) => takedowns,
  prepare: ({ takedowns }) => takedowns.takeDown(aTakedown(9), undefined, [anEvent()]),
  reads: {
    isForbidden: [1, 2].map((n) => (takedowns) => takedowns.isForbidden(aSha256(n))),
    of: [1, 9].map((n) => (takedowns) => takedowns.of([aRoleId(n)])),
    list: [{ sha256 }, { sha256: undefined }].map(
      (more) => (takedowns) => takedowns.list({ after, limit: 10, ...more }),
    ),
    copies: [1, 2].map(
      (n) => (takedowns) => takedowns.copies({ sha256: aSha256(n), now: START, after, limit: 10 }),
    ),
  },
  writes: {
    takeDown: (takedowns, _, n) => takedowns.takeDown(aTakedown(n), undefined, [anEvent()]),
    lift: (takedowns) => takedowns.lift(aTakedown(9), START, [anEvent()]),
    claimPurge: (takedowns) => takedowns.claimPurge({ role: aRoleId(1), token: aToken(1), until: START }),
  },
  changes: {
    'a publication': ({ roles }) => publishTo(roles, aPublication(2, { sha256 })),
    'a takedown': ({ takedowns }) => takedowns.takeDown(aTakedown(1), undefined, [anEvent()]),
    'a lift': ({ takedowns }) => takedowns.lift(aTakedown(1), START, [anEvent()]),
  },
});

/** The clauses of every {@link TakedownStore}, beside the stores of its database. */
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
