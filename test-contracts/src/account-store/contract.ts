import { type Contract, type StoreSubject, toClauses } from '../contract.ts';
import { anAccount, anAccountName } from '../fixtures/accounts.ts';
import { anEvent } from '../fixtures/roles.ts';
import { harnessClauses } from '../harness.ts';
import type { AccountStores } from '../stores.ts';
import { boundClauses } from './bounds.ts';
import { accountClauses } from './clauses.ts';
import { credentialClauses } from './credentials.ts';
import { reachClauses } from './reach.ts';

/** What every `AccountStore` promises, beside the stores of its database. */
export const accountStoreContract: Contract<AccountStores, StoreSubject<AccountStores>> = {
  port: 'AccountStore',
  harness: harnessClauses('account-store', {
    write: async ({ accounts }, n) => {
      await accounts.save(anAccount(n), undefined, [anEvent()]);
    },
    sees: async ({ accounts }, n) => (await accounts.load(anAccountName(n))) !== undefined,
  }),
  clauses: toClauses({ ...accountClauses, ...boundClauses, ...credentialClauses, ...reachClauses }),
};
