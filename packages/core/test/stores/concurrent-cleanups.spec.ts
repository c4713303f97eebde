import { aPublication, aRoleId, aToken, publishTo, START } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { type AccountId, after, days, hours, type RoleId } from '../../src/index.ts';
import { newDatabase, storesOver } from './memory-stores.ts';

const END = after(START, days(8));
const CLAIM = { now: END, endedBefore: END, token: aToken(1), until: after(END, hours(1)) };

/** Opens stores with a publication of each account, which ended in this order, and stores of another cleanup. */
async function openStores(...accounts: readonly string[]) {
  const database = newDatabase();
  const other = storesOver(database).roles;
  for (const [n, name] of accounts.entries()) {
    const role = { account: name as AccountId, expiresAt: after(START, hours(n)) };
    await publishTo(other, aPublication(n + 1, role));
  }
  let pending: (() => Promise<unknown>) | undefined;
  const read: typeof database.read = async (...args) => {
    const found = await database.read(...args);
    const running = pending?.();
    pending = undefined;
    await running;
    return found;
  };
  const { roles } = storesOver(Object.assign(database.peer(), { read }));
  return {
    other,
    claim: async (limit: number): Promise<readonly RoleId[]> =>
      (await roles.claimForCleanup({ ...CLAIM, limit })).map(({ role }) => role),
    /** Runs `work` after the first cleanup has found the waiting roles, and before it claims any. */
    meanwhile: (work: () => Promise<unknown>): void => {
      pending = work;
    },
  };
}

describe('concurrent cleanups', () => {
  it('skip only an account in which another cleanup claimed first, even if its claim has ended', async () => {
    const { other, claim, meanwhile } = await openStores('a', 'b', 'a', 'b', 'c');
    meanwhile(async () => {
      const [task] = await other.claimForCleanup({ ...CLAIM, token: aToken(2), limit: 1 });
      if (task !== undefined) await other.settleCleanup(task, { kind: 'removed' }, []);
    });
    expect(await claim(2)).to.deep.equal([aRoleId(2), aRoleId(4)]);
  });

  it('do not skip the accounts of their own claims', async () => {
    const { claim } = await openStores('a', 'a', 'b');
    expect(await claim(1)).to.deep.equal([aRoleId(1)]);
    expect(await claim(1)).to.deep.equal([aRoleId(2)]);
  });
});
