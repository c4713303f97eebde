import { type AttemptCounter, after, days, type Instant, minutes, type RoleId } from '@pinfold/core';
import { expect } from 'chai';
import { type ClauseTable, inEachEra, type Subject, withPeer } from '../contract.ts';
import { START } from '../fixtures/clock.ts';
import { aRoleId } from '../fixtures/roles.ts';
import { admit, admitAll, aTry, BUSY, fail, failAll, limitedUntil, WINDOW } from './tries.ts';
import { checkForgivenTry, checkRefusedTry, checkSettledTry, checkWrongTries } from './uneven-windows.ts';

export const limitClauses: ClauseTable<AttemptCounter> = {
  'attempt-counter/per-address: one address is limited after its wrong tries, others are not': withPeer(
    async (port, other) => {
      const limits = { perAddress: 3 };
      for (const store of [port, other, port]) await fail(store, aTry(limits));
      for (const store of [port, other]) {
        expect(await store.begin(aTry(limits))).to.deep.equal(limitedUntil(after(START, WINDOW)));
      }
      const neighbours = ['192.0.2.10', '192.0.2.2', '2001:db8::/64', '2001:DB8::/64', '192.0.2.1 ', '%'];
      await failAll(other, neighbours, limits);
      await fail(port, aTry({ ...limits, role: aRoleId(2) }));
      expect((await port.begin(aTry(limits))).kind).to.equal('limited');
    },
  ),
  "attempt-counter/per-role: after the role's wrong tries, all addresses together are limited; other roles are not":
    withPeer(async (port, other) => {
      const limits = { perRole: 4, perAddress: 2 };
      await failAll(port, ['a', 'b', 'a'], limits);
      await fail(other, aTry({ ...limits, address: 'c' }));
      for (const address of ['d', 'b', 'c']) {
        const outcome = await other.begin(aTry({ ...limits, address }));
        expect(outcome).to.deep.equal(limitedUntil(after(START, WINDOW)));
      }
      await failAll(port, ['d', 'b'], { ...limits, role: aRoleId(2) });
      const role = aRoleId(4);
      for (const near of [role, `${role.slice(0, -1)}0`, `f${role.slice(1)}`] as RoleId[])
        await fail(other, aTry({ role: near, perRole: 1 }));
      await checkWrongTries(port, other);
    }),
  'attempt-counter/both-or-neither: a try that one limit makes limited or busy does not count against the other limit':
    withPeer(async (port, other) => {
      const limits = { perRole: 3, perAddress: 1 };
      const ticket = await admit(port, aTry({ ...limits, address: 'a' }));
      const again = aTry({ ...limits, address: 'a' });
      for (let n = 0; n < 5; n += 1) expect(await other.begin(again)).to.deep.equal(BUSY);
      await other.settle(ticket);
      for (let n = 0; n < 5; n += 1) expect((await other.begin(again)).kind).to.equal('limited');
      await failAll(port, ['b', 'c'], limits);
      const beforeTheEnd = (after(START, WINDOW) - 1) as Instant;
      for (let n = 0; n < 3; n += 1) {
        const late = aTry({ ...limits, address: 'd', now: beforeTheEnd });
        expect((await other.begin(late)).kind).to.equal('limited');
      }
      const now = after(START, WINDOW);
      await fail(port, aTry({ ...limits, address: 'd', now }));
      const next = await port.begin(aTry({ ...limits, address: 'd', now }));
      expect(next, 'its window opened with the counted try').to.deep.equal(limitedUntil(after(now, WINDOW)));
      await checkRefusedTry(port, other);
    }),
  'attempt-counter/window: a limited try gets the end of the window, the later one of two, and from then on tries count anew':
    inEachEra(async (port, other, start) => {
      const limits = { perAddress: 2 };
      const minute = (n: number) => after(start, minutes(n));
      await fail(port, aTry({ ...limits, now: minute(0) }));
      await fail(port, aTry({ ...limits, now: minute(4) }));
      const justBefore = (minute(5) - 1) as Instant;
      for (const now of [minute(4), justBefore]) {
        expect(await other.begin(aTry({ ...limits, now }))).to.deep.equal(limitedUntil(minute(5)));
      }
      await fail(other, aTry({ ...limits, now: minute(5) }));
      await fail(port, aTry({ ...limits, now: minute(7) }));
      expect(await port.begin(aTry({ ...limits, now: minute(9) }))).to.deep.equal(limitedUntil(minute(10)));
      await fail(other, aTry({ ...limits, now: minute(31) }));
      await fail(other, aTry({ ...limits, now: minute(31) }));
      expect(await port.begin(aTry({ ...limits, now: minute(31) }))).to.deep.equal(limitedUntil(minute(36)));
      const both = { role: aRoleId(2), perAddress: 1, perRole: 2 };
      await fail(port, aTry({ ...both, address: 'a', now: minute(0) }));
      await fail(port, aTry({ ...both, address: 'b', now: minute(3) }));
      const full = aTry({ ...both, address: 'b', now: minute(4) });
      expect(await other.begin(full), 'the later of two').to.deep.equal(limitedUntil(minute(8)));
      const mine = { role: aRoleId(3), perAddress: 1, address: 'a' };
      await fail(port, aTry({ ...mine, address: 'b', now: minute(0) }));
      await fail(port, aTry({ ...mine, now: minute(4) }));
      await fail(other, aTry({ ...mine, address: 'b', now: minute(6) }));
      const alone = await other.begin(aTry({ ...mine, now: minute(7) }));
      expect(alone, 'not that of a window with room').to.deep.equal(limitedUntil(minute(9)));
      const first = { role: aRoleId(4), perAddress: 4 };
      await fail(port, aTry({ ...first, now: minute(2) }));
      await fail(port, aTry({ ...first, now: minute(3), window: minutes(9) }));
      await fail(port, aTry({ ...first, now: minute(3), window: minutes(1) }));
      await fail(other, aTry({ ...first, now: minute(1) }));
      const longer = await other.begin(aTry({ ...first, now: minute(4), window: minutes(9) }));
      expect(longer, 'as long as its first try said').to.deep.equal(limitedUntil(minute(7)));
      const begun = { role: aRoleId(6), perAddress: 2 };
      await fail(port, aTry({ ...begun, now: minute(0) }));
      await admit(port, aTry({ ...begun, now: minute(4.5) }));
      // A try that was under way when the window ended does not count in the next one.
      await admit(other, aTry({ ...begun, now: minute(5) }));
      await admit(other, aTry({ ...begun, now: minute(5) }));
      const long = { role: aRoleId(5), perAddress: 1, window: days(90) };
      await fail(port, aTry({ ...long, now: start }));
      const month = await other.begin(aTry({ ...long, now: after(start, days(89)) }));
      expect(month, 'however long').to.deep.equal(limitedUntil(after(start, days(90))));
    }),
  'attempt-counter/purge: ended windows are removed, and open ones keep their counts': async (
    subject,
    another,
  ) => {
    await inEachEra<Subject<AttemptCounter>>(async (port, other, start) => {
      const limits = { perAddress: 1, perRole: 3 };
      const minute = (n: number) => after(start, minutes(n));
      await failAll(port, ['a'], { ...limits, now: minute(0) });
      await admitAll(port, ['b'], { ...limits, now: minute(0) });
      await fail(port, aTry({ ...limits, address: 'c', now: minute(2) }));
      await fail(port, aTry({ ...limits, role: aRoleId(2), address: 'a', now: minute(3) }));
      expect(await other.purge((minute(5) - 1) as Instant, 100), 'before any ended').to.equal(0);
      const limited = await other.begin(aTry({ ...limits, address: 'd', now: minute(4) }));
      expect(limited).to.deep.equal(limitedUntil(minute(5)));
      const atOnce = [0, 1].map((limit) => other.purge(minute(5), limit));
      expect(await Promise.all(atOnce), 'at most none, and at most one').to.deep.equal([0, 1]);
      let purged = 1;
      for (let count = 1; count > 0; purged += count) {
        count = await port.purge(minute(5), 1);
        expect(count, 'the limit').to.be.at.most(1);
        expect(purged, 'purging does not end').to.be.below(100);
      }
      const still = [
        await other.begin(aTry({ ...limits, address: 'c', now: minute(5) })),
        await other.begin(aTry({ ...limits, role: aRoleId(2), address: 'a', now: minute(5) })),
      ];
      expect(still).to.deep.equal([limitedUntil(minute(7)), limitedUntil(minute(8))]);
      await admitAll(other, ['a', 'b', 'd'], { ...limits, now: minute(5) });
      await endedByHalf(port, other, minute(60));
    })(subject, another);
    const { port, peer } = await another();
    for (const check of [checkWrongTries, checkSettledTry, checkForgivenTry])
      await check(port, await peer(), true);
  },
  'attempt-counter/count-ended: exactly the records that purging would drop are counted, and nothing changes':
    inEachEra(async (port, other, start) => {
      const limits = { perAddress: 1, perRole: 3 };
      const minute = (n: number) => after(start, minutes(n));
      await failAll(port, ['a'], { ...limits, now: minute(0) });
      await admitAll(port, ['b'], { ...limits, now: minute(0) });
      await admit(port, aTry({ ...limits, role: aRoleId(2), address: 'a', now: minute(3) }));
      const bounds = [(minute(5) - 1) as Instant, minute(5)];
      const [before, ended] = await Promise.all(bounds.map((bound) => other.countEnded(bound)));
      expect(before, 'before any ended').to.equal(0);
      expect(ended, 'ended windows').to.be.above(0);
      expect(await other.countEnded(minute(5)), 'again').to.equal(ended);
      expect(await port.purge(minute(5), 100)).to.equal(ended);
      expect(await other.countEnded(minute(5)), 'after the purge').to.equal(0);
    }),
};

/** Ended windows are purged even if their tries are running, began late, or count in another open window. */
async function endedByHalf(port: AttemptCounter, other: AttemptCounter, start: Instant): Promise<void> {
  const minute = (n: number) => after(start, minutes(n));
  while ((await port.purge(start, 100)) > 0);
  const limits = { role: aRoleId(3), perAddress: 2 };
  await admit(port, aTry({ ...limits, now: minute(0) }));
  await admit(port, aTry({ ...limits, now: minute(4) }));
  expect(await other.purge(minute(5), 100), 'with tries under way').to.be.above(0);
  while ((await port.purge(minute(5), 100)) > 0);
  const alone = { ...limits, perAddress: 1 };
  const right = await admit(port, aTry({ ...alone, address: 'a', now: minute(5) }));
  await fail(port, aTry({ ...alone, address: 'b', now: minute(6) }));
  await port.forgive(right);
  expect(await other.purge(minute(10), 100), 'of the role alone').to.be.above(0);
  const later = await other.begin(aTry({ ...alone, address: 'b', now: minute(10) }));
  expect(later, 'of the address').to.deep.equal(limitedUntil(minute(11)));
}
