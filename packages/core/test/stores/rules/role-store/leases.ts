import {
  after,
  before,
  days,
  hours,
  type Instant,
  minutes,
  type Reservation,
  type Role,
  type RoleStore,
  type Version,
} from '@pinfold/core';
import {
  aComparison,
  anEvent,
  aPublication,
  aReservation,
  aRole,
  aToken,
  leaseOf,
  publishTo,
  START,
} from '@pinfold/test-contracts/fixtures';
import { aClaim, aTask, type ClauseTable, END, withPeer } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';

const LATER = after(START, hours(1));
const LOST = { kind: 'lost' } as const;

/** A reservation of one key by the `n`th holder. */
const requestBy = (n: number, more: Partial<Reservation> = {}) =>
  aReservation(1, { token: aToken(n), ...more });

const held = (until: Instant) => ({ kind: 'in_progress', until }) as const;

export const leaseClauses: ClauseTable<RoleStore> = {
  'role-store/renew: a reservation is held until the instant it was renewed to; a lease that was replaced, released or completed is lost, and renewing it changes nothing':
    withPeer(async (port, other) => {
      expect(await port.renew(leaseOf(requestBy(1)), LATER), 'before it is reserved').to.deep.equal(LOST);
      await port.reserve(requestBy(1));
      expect(await other.renew(leaseOf(requestBy(1)), LATER)).to.deep.equal({ kind: 'held' });
      expect(await port.reserve(requestBy(2))).to.deep.equal(held(LATER));
      expect(await other.reserve(requestBy(2, { now: LATER, until: END }))).to.include({ kind: 'reserved' });
      expect(await port.renew(leaseOf(requestBy(1)), after(END, days(1))), 'replaced').to.deep.equal(LOST);
      expect(await other.reserve(requestBy(3, { now: LATER, until: END }))).to.deep.equal(held(END));
      await port.release(leaseOf(requestBy(2)));
      expect(await port.renew(leaseOf(requestBy(2)), END), 'released').to.deep.equal(LOST);
      await port.reserve(requestBy(4));
      await port.commit(aPublication(1), leaseOf(requestBy(4)), [anEvent()]);
      expect(await other.renew(leaseOf(requestBy(4)), END), 'completed').to.deep.equal(LOST);
    }),
  'role-store/release: a released key is free; a lost lease releases nothing, and a complete key does not change':
    withPeer(async (port, other) => {
      await port.reserve(requestBy(1));
      await other.release(leaseOf(requestBy(2)));
      expect((await port.reserve(requestBy(2))).kind, 'of another token').to.equal('in_progress');
      await other.release(leaseOf(requestBy(1)));
      expect((await port.reserve(requestBy(2))).kind).to.equal('reserved');
      await port.commit(aPublication(1), leaseOf(requestBy(2)), [anEvent()]);
      await other.release(leaseOf(requestBy(2)));
      expect((await port.reserve(requestBy(3))).kind).to.equal('complete');
    }),
  'role-store/abandoned: exactly the reservations that began before an instant, and no complete key, are counted and purged':
    withPeer(async (port, other) => {
      await publishTo(port, aPublication(5));
      for (const n of [1, 2]) await port.reserve(aReservation(n));
      await port.reserve(aReservation(3, { now: LATER, until: END }));
      const count = async (begunBefore: Instant) =>
        (await other.countForCleanup({ now: START, endedBefore: START, begunBefore })).reservations;
      expect(await Promise.all([START, LATER, END].map(count))).to.deep.equal([0, 2, 3]);
      expect(await other.purge(START, 100)).to.equal(0);
      expect(await other.purge(LATER, 100)).to.equal(2);
      expect(await count(END)).to.equal(1);
      expect((await port.reserve(aReservation(3, { now: LATER, until: END }))).kind, 'begun later').to.equal(
        'in_progress',
      );
      expect((await port.reserve(aReservation(5, { now: END }))).kind, 'complete').to.equal('mismatch');
    }),
  'role-store/ended: exactly the roles that ended by an instant are counted, named and claimed, longest waiting first; one whose removal failed waits until its retry, and a claim of an earlier instant leaves it':
    withPeer(async (port, other) => {
      const ends = [3, 1, 2, 4].map((n) => after(START, days(n)));
      const accounts = ['a', 'b', 'a', 'b'] as Reservation['account'][];
      const roles: Role[] = [];
      for (const [n, expiresAt] of ends.entries()) {
        const account = accounts[n] as Reservation['account'];
        roles.push(await publishTo(port, aPublication(n, { account, expiresAt })));
      }
      const [third, first, second] = roles as [Role, Role, Role];
      const now = third.expiresAt as Instant;
      const wanted = { now, endedBefore: now };
      const count = async () => (await other.countForCleanup({ ...wanted, begunBefore: START })).archives;
      expect(await count()).to.equal(3);
      const next = await other.nextForCleanup({ ...wanted, limit: 2 });
      expect(next).to.deep.equal([first.id, second.id]);
      const claimed = await port.claimForCleanup(aClaim(1, now, { limit: 2 }));
      expect(claimed).to.deep.equal([aTask(first, 1), aTask(second, 1)]);
      expect(await count(), 'while two are claimed').to.equal(1);
      const retryAt = after(now, minutes(30));
      for (const [n, task] of claimed.entries()) {
        await port.settleCleanup(task, { kind: 'failed', retryAt: before(retryAt, minutes(9 - n)) }, []);
      }
      const early = aClaim(2, retryAt, { endedBefore: START });
      expect(await other.claimForCleanup(early), 'ended by an earlier instant').to.deep.equal([]);
      const ids = (await other.claimForCleanup(aClaim(3, retryAt, { endedBefore: now }))).map(
        ({ role }) => role,
      );
      expect(ids).to.deep.equal([third.id, first.id, second.id]);
      expect((await port.load(aRole(3).id))?.value.expiresAt, 'not ended').to.equal(ends[3]);
    }),
  'role-store/comparison-conflict: a save with an old version, or with none for a stored comparison, is a conflict and changes nothing':
    withPeer(async (port, other) => {
      const save = (compared: number, loadedAt?: Version) =>
        other.saveComparison(aComparison({ compared }), loadedAt);
      await port.saveComparison(aComparison({ compared: 1 }), undefined);
      const first = await other.loadComparison();
      expect(await save(2), 'with none').to.deep.equal({ kind: 'conflict' });
      expect(await port.loadComparison()).to.deep.equal(first);
      expect((await save(3, first?.version)).kind).to.equal('saved');
      const second = await port.loadComparison();
      expect(await save(4, first?.version), 'with an old one').to.deep.equal({ kind: 'conflict' });
      expect(await port.loadComparison()).to.deep.equal(second);
    }),
};
