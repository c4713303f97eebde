import { type Contract, type StoreSubject, toClauses } from '../contract.ts';
import { ACCOUNT, aPublication, publishTo } from '../fixtures/roles.ts';
import { harnessClauses } from '../harness.ts';
import type { NameStores } from '../stores.ts';
import { changingClauses } from './changing.ts';
import { publishingClauses } from './publishing.ts';
import { readingClauses } from './reading.ts';
import { aChange, aName, set } from './values.ts';

/** The clauses of every {@link NameStore}, beside the stores of its database. */
export const nameStoreContract: Contract<NameStores, StoreSubject<NameStores>> = {
  port: 'NameStore',
  harness: harnessClauses('name-store', {
    write: async (stores, n) => {
      await publishTo(stores.roles, aPublication(n));
      await set(stores, aChange(n));
    },
    sees: async ({ names }, n) => (await names.find(ACCOUNT, aName(n))) !== undefined,
  }),
  clauses: toClauses({ ...publishingClauses, ...changingClauses, ...readingClauses }),
};
