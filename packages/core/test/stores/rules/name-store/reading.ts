import {
  type AccountId,
  accountId,
  after,
  duration,
  type Generation,
  type NameStore,
  type NameToken,
  type PinName,
  type ShownName,
} from '@pinfold/core';
import { ACCOUNT, anEvent, aPublication, aRoleId, publishTo, START } from '@pinfold/test-contracts/fixtures';
import {
  BLOCK,
  changeAccount,
  changeRole,
  type StoreClauses,
  walk,
  withPeer,
} from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import type { NameStores } from '../stores.ts';
import { aChange, aName, aNameToken, LATER, publish, set, shownBy, stop } from './values.ts';

const OTHER = accountId('Globex');
const LIST_ORDER = ['0', '0-1', '01', 'a', 'a-b', 'a0', 'ab', 'b'] as PinName[];

async function walkNames(names: NameStore, account: AccountId, limit: number): Promise<readonly PinName[]> {
  const all = await walk<ShownName>(limit, (last) => names.list(account, last?.name.name, limit));
  return all.map(({ name }) => name.name);
}

/** Sets names for one role, whose tokens are those of their numbers. */
async function setAll(stores: NameStores, names: readonly PinName[], account = ACCOUNT, role = aRoleId(1)) {
  for (const [n, name] of names.entries()) {
    const token = aNameToken(n + (account === ACCOUNT ? 0 : 5_000));
    const now = after(LATER, duration(n));
    await stores.names.set({ ...aChange(1), account, role, name, token, now }, []);
  }
}

export const readingClauses: StoreClauses<NameStores> = {
  'name-store/find: a name is found as any peer stored it last, with every field; names and accounts are compared exactly, and an unknown name is undefined':
    withPeer(async (port, other) => {
      const upper = accountId(OTHER.toUpperCase());
      await publish(port, 1);
      await publishTo(port.roles, aPublication(2, { account: OTHER }));
      await set(port, aChange(1));
      const change = aChange(2, { account: OTHER, name: aName(1) });
      expect(await set(port, change)).to.deep.equal({ kind: 'created', ...shownBy(change) });
      expect(await other.names.find(ACCOUNT, aName(1))).to.deep.equal(shownBy(aChange(1)));
      const theirs = shownBy(aChange(2, { account: OTHER, name: aName(1) }));
      expect(await other.names.find(OTHER, aName(1))).to.deep.equal(theirs);
      const second = aChange(3, { role: aRoleId(1), now: after(LATER, duration(7)) });
      expect(await set(port, second)).to.deep.equal({ kind: 'created', ...shownBy(second) });
      expect(await other.names.find(ACCOUNT, aName(3)), 'a second name').to.deep.equal(shownBy(second));
      for (const account of [upper, accountId(`${OTHER} `), accountId('nobody')]) {
        expect(await other.names.find(account, aName(1)), account).to.equal(undefined);
      }
      for (const name of ['pr-11', 'pr-', 'pr_1', '%', 'pr'] as PinName[]) {
        expect(await other.names.find(ACCOUNT, name), name).to.equal(undefined);
      }
    }),
  'name-store/shown-role: every call that returns a name returns the current ends of its role': withPeer(
    async (port, other) => {
      const [expiresAt, later] = [after(LATER, duration(1)), after(LATER, duration(2))];
      await publishTo(port.roles, aPublication(1, { expiresAt }));
      await publishTo(port.roles, aPublication(2, { expiresAt: null, pinned: true }));
      await publishTo(port.roles, aPublication(3, { expiresAt: later }));
      const change = aChange(1);
      const made = await set(port, change);
      expect(made).to.deep.include({ kind: 'created', role: { deletedAt: null, expiresAt } });
      expect(await set(other, change)).to.deep.include({ role: { deletedAt: null, expiresAt } });
      const moved = await set(port, aChange(1, { role: aRoleId(2) }));
      expect(moved).to.deep.include({ kind: 'moved', role: { deletedAt: null, expiresAt: null } });
      const third = await set(port, aChange(3));
      expect(third).to.deep.include({ kind: 'created', role: { deletedAt: null, expiresAt: later } });
      const ends = async ({ names }: NameStores) => {
        const listed = await names.list(ACCOUNT, undefined, 10);
        for (const [n, name] of [aName(1), aName(3)].entries()) {
          expect(await names.find(ACCOUNT, name), 'found as it is listed').to.deep.equal(listed[n]);
        }
        return listed.map(({ role }) => role);
      };
      const open = { deletedAt: null, expiresAt: null };
      expect(await ends(other)).to.deep.equal([open, { deletedAt: null, expiresAt: later }]);
      const deletedAt = after(START, duration(7));
      await changeRole(port.roles, aRoleId(2), { deletedAt }, anEvent({ pin: aRoleId(2) }));
      await changeRole(port.roles, aRoleId(3), { expiresAt }, anEvent({ pin: aRoleId(3) }));
      const stopped = { deletedAt, expiresAt: null };
      for (const stores of [port, other]) {
        expect(await ends(stores), 'as they are now').to.deep.equal([
          stopped,
          { deletedAt: null, expiresAt },
        ]);
      }
      const next = after(START, duration(8));
      await changeRole(port.roles, aRoleId(3), { deletedAt: next }, anEvent({ pin: aRoleId(3) }));
      for (const stores of [port, other]) {
        expect(await ends(stores), 'both stopped').to.deep.equal([stopped, { deletedAt: next, expiresAt }]);
      }
    },
  ),
  'name-store/resolve: a token resolves to the newest role that its name shows, as loaded by its id, in any state; an unknown token is undefined, and tokens are compared exactly':
    withPeer(async (port, other) => {
      await publish(port, 1, 2);
      await set(port, aChange(1));
      const resolved = async (stores: NameStores) => {
        const found = await stores.names.resolve(aNameToken(1));
        const stored = await stores.names.find(ACCOUNT, aName(1));
        expect(found?.name).to.deep.equal(stored?.name);
        expect(found?.role).to.deep.equal(await stores.roles.load(stored?.name.role ?? aRoleId(9)));
        return found?.role;
      };
      expect((await resolved(other))?.value.id).to.equal(aRoleId(1));
      await stop(port, aRoleId(1));
      for (const stores of [port, other]) {
        expect((await resolved(stores))?.value.deletedAt, 'stopped').to.equal(START);
      }
      await set(other, aChange(1, { role: aRoleId(2) }));
      for (const stores of [port, other]) expect((await resolved(stores))?.value.id).to.equal(aRoleId(2));
      const generation = 7 as Generation;
      await changeAccount(port.accounts, ACCOUNT, { blocked: BLOCK, generation });
      for (const stores of [port, other]) {
        expect(await resolved(stores)).to.deep.include({ isHidden: true, accountGeneration: generation });
      }
      const token = aNameToken(1);
      const theirs = aChange(4, { account: OTHER, name: aName(2), now: after(LATER, duration(7)) });
      await publishTo(port.roles, aPublication(4, { account: OTHER }));
      await set(port, theirs);
      expect((await other.names.resolve(aNameToken(4)))?.name, 'of another account').to.deep.equal(
        shownBy(theirs).name,
      );
      const similarTokens = [
        token.toLowerCase(),
        token.toUpperCase(),
        token.slice(1),
        `${token}1`,
        aNameToken(2),
        '',
      ];
      for (const text of similarTokens) {
        expect(await other.names.resolve(text as NameToken), text).to.equal(undefined);
      }
    }),
  'name-store/list: pages after a name, up to one that is not full, have every name of the account exactly once, in order, and none of another':
    withPeer(async (port, other) => {
      await publish(port, 1);
      await publishTo(port.roles, aPublication(2, { account: OTHER }));
      await setAll(port, LIST_ORDER.toReversed());
      await setAll(port, [...LIST_ORDER.slice(2, 4), 'zz' as PinName], OTHER, aRoleId(2));
      for (const limit of [1, 2, 3, LIST_ORDER.length, 100]) {
        expect(await walkNames(other.names, ACCOUNT, limit)).to.deep.equal(LIST_ORDER);
      }
      expect(await walkNames(other.names, OTHER, 2)).to.deep.equal([...LIST_ORDER.slice(2, 4), 'zz']);
      expect(await other.names.list(accountId('nobody'), undefined, 5)).to.deep.equal([]);
      expect(
        await other.names.list(ACCOUNT, 'a-c' as PinName, 1),
        'after a name that does not exist',
      ).to.have.lengthOf(1);
      await publish(port, 3);
      await set(port, aChange(3, { name: LIST_ORDER[2] as PinName }));
      for (const account of [ACCOUNT, OTHER]) {
        const listed = await other.names.list(account, undefined, 100);
        const found = await Promise.all(listed.map(({ name }) => port.names.find(account, name.name)));
        expect(listed, 'every field').to.deep.equal(found);
      }
    }),
  'name-store/list-many: more than a thousand names are listed whole': async ({ port }) => {
    await publish(port, 1);
    const all = Array.from({ length: 1_100 }, (_, n) => `n${String(n).padStart(4, '0')}` as PinName);
    await setAll(port, all);
    expect(await walkNames(port.names, ACCOUNT, 101)).to.deep.equal(all);
    expect(await port.names.list(ACCOUNT, undefined, 1_100)).to.have.lengthOf(1_100);
  },
};
