import type { CountedViews, Day, RoleId, ViewStore } from '@pinfold/core';
import { dayOf } from '@pinfold/core/internal';
import type { StoreSubject } from '@pinfold/test-contracts';
import { aRoleId, START } from '@pinfold/test-contracts/fixtures';
import { type ClauseTable, together, withPeer } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';

type ViewClauses = ClauseTable<ViewStore, StoreSubject<ViewStore>>;

const LONG_AGO = 0 as Day;

function day(n: number): Day {
  return (dayOf(START) + n) as Day;
}

function counted(role: RoleId, n: number, views: number, refusedPasswords = 0): CountedViews {
  return { role, day: day(n), views, refusedPasswords };
}

function countsOf(n: number, views: number, refusedPasswords = 0): Omit<CountedViews, 'role'> {
  return { day: day(n), views, refusedPasswords };
}

export const viewClauses: ViewClauses = {
  'view-store/add: counts are added up for each role and day, from any peer and by concurrent calls, even if a batch has a day twice':
    async (subject) => {
      const { port } = subject;
      const [one, another] = [aRoleId(1), aRoleId(2)];
      await port.add([
        counted(one, 0, 3),
        counted(one, 1, 1, 2),
        counted(another, 0, 5),
        counted(one, 0, 4, 1),
      ]);
      expect(await port.list(one, LONG_AGO)).to.deep.equal([countsOf(1, 1, 2), countsOf(0, 7, 1)]);
      // In either order, like concurrent nodes.
      await together(subject, 12, (peer, n) => {
        const batch = [counted(one, 0, 1, 2), counted(another, 0, 10)];
        return peer.add(n % 2 === 0 ? batch : batch.toReversed());
      });
      const other = await subject.peer();
      expect(await other.list(one, LONG_AGO)).to.deep.equal([countsOf(1, 1, 2), countsOf(0, 19, 25)]);
      expect(await other.list(another, LONG_AGO)).to.deep.equal([countsOf(0, 125)]);
      const many = 3_000_000_000;
      for (let n = 0; n < 2; n += 1) await port.add([counted(another, 1, many, many)]);
      expect(await other.list(another, day(1))).to.deep.equal([countsOf(1, 2 * many, 2 * many)]);
    },
  'view-store/add-many: a batch of a thousand roles is added whole, and an empty one changes nothing':
    async ({ port, peer }) => {
      const roles = Array.from({ length: 1_000 }, (_, n) => aRoleId(n + 1));
      await port.add(roles.map((role, n) => counted(role, 0, n + 1)));
      await port.add([]);
      const other = await peer();
      for (const n of [0, 499, 999]) {
        expect(await other.list(roles[n] as RoleId, LONG_AGO)).to.deep.equal([countsOf(0, n + 1)]);
      }
      expect(await port.drop(day(1), 2_000)).to.equal(1_000);
    },
  'view-store/list: exactly the days of the role with counts are listed, from the given day on, newest first':
    async ({ port, peer }) => {
      const role = aRoleId(1);
      await port.add([
        counted(role, 9, 1),
        counted(role, 3, 0, 1),
        counted(role, 100, 2),
        counted(role, 2, 5),
      ]);
      await port.add([counted(aRoleId(2), 4, 1)]);
      const other = await peer();
      expect(await other.list(role, day(3))).to.deep.equal([
        countsOf(100, 2),
        countsOf(9, 1),
        countsOf(3, 0, 1),
      ]);
      expect(await other.list(role, day(4))).to.deep.equal([countsOf(100, 2), countsOf(9, 1)]);
      expect(await other.list(aRoleId(3), LONG_AGO)).to.deep.equal([]);
    },
  'view-store/drop: exactly earlier days are removed, at most the limit, and their number is returned':
    withPeer(async (port, other) => {
      const [one, another] = [aRoleId(1), aRoleId(2)];
      await port.add([0, 1, 2, 3].flatMap((n) => [counted(one, n, n + 1), counted(another, n, 1)]));
      expect(await other.drop(day(2), 3)).to.equal(3);
      expect(await other.drop(day(2), 3)).to.equal(1);
      expect(await other.drop(day(2), 3)).to.equal(0);
      expect(await port.list(one, LONG_AGO)).to.deep.equal([countsOf(3, 4), countsOf(2, 3)]);
      expect(await port.list(another, LONG_AGO)).to.deep.equal([countsOf(3, 1), countsOf(2, 1)]);
      await port.add([counted(one, 0, 1)]);
      expect(await port.list(one, LONG_AGO), 'begun anew').to.deep.equal([
        countsOf(3, 4),
        countsOf(2, 3),
        countsOf(0, 1),
      ]);
    }),
};
