import { type Account, accountId } from '@pinfold/core';
import { expect } from 'chai';
import {
  type AccountStores,
  type Contract,
  type StoreClauses,
  type StoreSubject,
  toClauses,
} from '../contract.ts';
import { anAccount, anAccountName } from '../fixtures/accounts.ts';
import { START } from '../fixtures/clock.ts';
import { ACCOUNT, anEvent, aPublication, publishTo } from '../fixtures/roles.ts';
import { harnessClauses } from '../harness.ts';
import { sharedClauses } from '../shared-clauses.ts';
import { walk } from '../walk.ts';
import { boundClauses } from './bounds.ts';
import { accountClauses } from './clauses.ts';
import { credentialClauses } from './credentials.ts';

/** More than any page size of a database, a driver or an adapter. */
const COUNT = 1_050;

const furtherClauses: StoreClauses<AccountStores> = {
  'account-store/list-many: more than a thousand accounts are listed whole': async ({ port, peer }) => {
    const names = Array.from({ length: COUNT }, (_, n) => accountId(`team ${n}`));
    for (const [n, name] of names.entries()) {
      await port.accounts.save({ ...anAccount(n), name }, undefined, [anEvent()]);
    }
    const { accounts } = await peer();
    for (const limit of [100, 1_000, 2_000]) {
      const walked = await walk<Account>(limit, (last) => accounts.list(last?.name, limit));
      expect(
        walked.map(({ name }) => name),
        `${limit} a page`,
      ).to.deep.equal(names.toSorted());
    }
  },
  ...sharedClauses<AccountStores, AccountStores['accounts'], 'list' | 'load' | 'usedBy'>({
    suite: 'account-store',
    portOf: ({ accounts }) => accounts,
    prepare: ({ roles }) => publishTo(roles, aPublication(1)),
    reads: {
      load: [
        (accounts, signal) => accounts.load(ACCOUNT, signal),
        (accounts, signal) => accounts.load(anAccount(9).name, signal),
      ],
      list: [10, 1].map((limit) => (accounts) => accounts.list(undefined, limit)),
      usedBy: [ACCOUNT, anAccount(9).name].map((name) => (accounts) => accounts.usedBy(name, START)),
    },
    writes: { save: (accounts, _, n) => accounts.save(anAccount(n), undefined, [anEvent()]) },
    aborted: { load: 'load-aborted' },
    changes: {
      'a publication': ({ roles }) => publishTo(roles, aPublication(2)),
      'another account': ({ accounts }) => accounts.save(anAccount(1), undefined, [anEvent()]),
      'a change': async ({ accounts }) => {
        const loaded = await accounts.load(ACCOUNT);
        await accounts.save({ ...anAccount(2), name: ACCOUNT }, loaded?.version, [anEvent()]);
      },
    },
  }),
};

/** The clauses of every `AccountStore`, together with the other stores of its database. */
export const accountStoreContract: Contract<AccountStores, StoreSubject<AccountStores>> = {
  port: 'AccountStore',
  harness: harnessClauses('account-store', {
    write: async ({ accounts }, n) => {
      await accounts.save(anAccount(n), undefined, [anEvent()]);
    },
    sees: async ({ accounts }, n) => (await accounts.load(anAccountName(n))) !== undefined,
  }),
  clauses: toClauses({ ...accountClauses, ...boundClauses, ...credentialClauses, ...furtherClauses }),
};
