import { type AccountId, type AccountStore, accountId } from '@pinfold/core';
import { expect } from 'chai';
import type { Clause, StoreSubject } from '../contract.ts';
import { expectNothingLeft, inEveryEnd } from '../expect-aborts.ts';
import { expectFaults } from '../expect-faults.ts';
import { anAccount } from '../fixtures/accounts.ts';
import { START } from '../fixtures/clock.ts';
import { ACCOUNT, anEvent, aPublication, publishTo } from '../fixtures/roles.ts';
import type { AccountStores } from './subject.ts';

/** More than a page of any size that a database, a driver or an adapter may have. */
const COUNT = 1_050;

/** What shows with many accounts, when somebody asks again, and when nobody answers. */
export const reachClauses: readonly Clause<AccountStores, StoreSubject<AccountStores>>[] = [
  {
    id: 'account-store/list-many',
    says: 'more than a thousand accounts are listed whole',
    check: async ({ port, peer }) => {
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
  },
  {
    id: 'account-store/same-question',
    says: 'the same question asked again is answered by what any peer changed meanwhile, and what was answered before stays as it was',
    check: async ({ port, peer }) => {
      const other = await peer();
      await publishTo(port.roles, aPublication(1));
      const answersOf = async ({ accounts }: AccountStores) => ({
        load: await accounts.load(ACCOUNT),
        list: await accounts.list(undefined, 10),
        used: await accounts.usedBy(ACCOUNT, START),
      });
      const changes: Readonly<Record<string, () => Promise<unknown>>> = {
        'a publication': () => publishTo(other.roles, aPublication(2)),
        'another account': () => other.accounts.save(anAccount(1), undefined, [anEvent()]),
        'a change': async () => {
          const loaded = await other.accounts.load(ACCOUNT);
          await other.accounts.save({ ...anAccount(2), name: ACCOUNT }, loaded?.version, [anEvent()]);
        },
      };
      for (const [what, change] of Object.entries(changes)) {
        const answers = await answersOf(port);
        const before = structuredClone(answers);
        await change();
        const now = await answersOf(port);
        expect(now, `after ${what} by a peer`).to.deep.equal(await answersOf(await peer()));
        expect(answers, `what was answered before ${what}`).to.deep.equal(before);
      }
    },
  },
  {
    id: 'account-store/lets-go',
    says: 'of a call that has ended nothing is left: no listener on its signal, no open file or connection',
    check: async ({ port: { accounts }, unreachable }) => {
      await accounts.save(anAccount(1), undefined, [anEvent()]);
      const { accounts: dead } = await unreachable();
      await expectNothingLeft({
        ...inEveryEnd(accounts, dead, {
          load: (store, signal) => store.load(anAccount(1).name, signal),
          'load of none': (store, signal) => store.load(anAccount(2).name, signal),
        }),
        list: () => accounts.list(undefined, 10),
        usedBy: () => accounts.usedBy(ACCOUNT, START),
      });
    },
  },
  {
    id: 'account-store/unreachable',
    says: 'while the database does not answer, every call rejects with the fault store_unavailable and what caused it',
    check: async ({ unreachable }) => {
      const { accounts } = await unreachable();
      const calls: Readonly<Record<keyof AccountStore, Promise<unknown>>> = {
        load: accounts.load(ACCOUNT),
        save: accounts.save(anAccount(1), undefined, [anEvent()]),
        list: accounts.list(undefined, 10),
        usedBy: accounts.usedBy(ACCOUNT, START),
      };
      await expectFaults('store_unavailable', calls);
    },
  },
];
