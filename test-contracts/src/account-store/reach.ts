import { type AccountId, accountId } from '@pinfold/core';
import { expect } from 'chai';
import { anAccount } from '../fixtures/accounts.ts';
import { START } from '../fixtures/clock.ts';
import { ACCOUNT, anEvent, aPublication, publishTo } from '../fixtures/roles.ts';
import { sharedClauses } from '../shared-clauses.ts';
import type { AccountStores, StoreClauses } from '../stores.ts';

/** More than a page of any size that a database, a driver or an adapter may have. */
const COUNT = 1_050;

export const reachClauses: StoreClauses<AccountStores> = {
  'account-store/list-many: more than a thousand accounts are listed whole': async ({ port, peer }) => {
    const names = Array.from({ length: COUNT }, (_, n) => accountId(`team ${n}`));
    for (const [n, name] of names.entries()) {
      await port.accounts.save({ ...anAccount(n), name }, undefined, [anEvent()]);
    }
    const { accounts } = await peer();
    for (const limit of [100, 1_000, 2_000]) {
      const walked: AccountId[] = [];
      for (let page = await accounts.list(undefined, limit); page.length > 0; ) {
        expect(page.length, 'a page').to.be.at.most(limit);
        walked.push(...page.map(({ name }) => name));
        expect(walked.length, 'the walk does not end').to.be.at.most(COUNT);
        page = await accounts.list(walked.at(-1), limit);
      }
      expect(walked, `${limit} a page`).to.deep.equal(names.toSorted());
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
