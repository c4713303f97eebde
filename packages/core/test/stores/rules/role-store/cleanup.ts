import {
  type AccountId,
  after,
  type CleanupTask,
  hours,
  type Instant,
  minutes,
  type RoleId,
  type RoleStore,
} from '@pinfold/core';
import { anEvent, aPublication, aRole, aToken, publishTo, START } from '@pinfold/test-contracts/fixtures';
import {
  aClaim,
  aTask,
  type ClauseTable,
  changeRole,
  END,
  inEachEra,
  together,
  withPeer,
} from '@pinfold/test-contracts/internal';
import { expect } from 'chai';

function rolesOf(tasks: readonly CleanupTask[]): readonly RoleId[] {
  return tasks.map(({ role }) => role);
}

const stop = (port: RoleStore, id: RoleId, deletedAt: Instant) => changeRole(port, id, { deletedAt });

export const claimClauses: ClauseTable<RoleStore> = {
  "role-store/claim-once: a claimed role is claimed again only from the claim's instant on, saved meanwhile or not; of many claims at once each role goes to one":
    inEachEra(async (port, _, start, subject) => {
      const other = await subject.peer();
      const first = await publishTo(port, aPublication(1, { publishedAt: start, expiresAt: start }));
      const until = after(start, minutes(10));
      expect(await port.claimForCleanup(aClaim(1, start))).to.deep.equal([aTask(first, 1)]);
      expect(await other.claimForCleanup(aClaim(2, start)), 'at once').to.deep.equal([]);
      await stop(other, first.id, start);
      expect(await port.claimForCleanup(aClaim(3, (until - 1) as Instant)), 'saved').to.deep.equal([]);
      expect(await other.claimForCleanup(aClaim(4, until))).to.deep.equal([aTask(first, 4)]);
      await other.settleCleanup(aTask(first, 4), { kind: 'removed' }, [anEvent()]);
      const many = Array.from({ length: 20 }, (_, n) => aRole(n + 10).id);
      for (let n = 10; n < 30; n += 1) await publishTo(port, aPublication(n, { deletedAt: until }));
      const claims = await together(subject, 12, (store, n) =>
        store.claimForCleanup(aClaim(100 + n, until, { limit: 3 })),
      );
      for (const tasks of claims) expect(tasks.length).to.be.at.most(3);
      const rest = await port.claimForCleanup(aClaim(200, until));
      expect(rolesOf([...claims.flat(), ...rest]).toSorted()).to.deep.equal(many.toSorted());
      for (const [n, tasks] of claims.entries()) {
        for (const task of tasks) expect(task.token).to.equal(aToken(100 + n));
      }
    }),
  'role-store/claim-beside: while other cleanups have claims in an account, roles of others are claimed first, and those of that account when nothing else waits':
    withPeer(async (port, other) => {
      const [one, another] = ['one', 'another'] as [AccountId, AccountId];
      const accounts = [one, one, one, another, another, one];
      for (const [n, account] of accounts.entries()) {
        await publishTo(port, aPublication(n, { account, expiresAt: after(START, hours(n + 1)) }));
      }
      const claimed = async (store: RoleStore, n: number) =>
        rolesOf(await store.claimForCleanup(aClaim(n, END, { limit: 2 })));
      const ids = (...numbers: readonly number[]) => numbers.map((n) => aRole(n).id);
      expect(await claimed(port, 1), 'alone').to.deep.equal(ids(0, 1));
      expect(await claimed(other, 2), 'beside').to.deep.equal(ids(3, 4));
      expect(await claimed(other, 3), 'when nothing else waits').to.deep.equal(ids(2, 5));
    }),
};
