import { after, duration, hours, type Instant, type Lease, minutes, type RoleStore } from '@pinfold/core';
import {
  anEvent,
  aPublication,
  aReservation,
  aToken,
  leaseOf,
  START,
} from '@pinfold/test-contracts/fixtures';
import {
  aFingerprint,
  type ClauseTable,
  inEachEra,
  nearTokens,
  withPeer,
} from '@pinfold/test-contracts/internal';
import { expect } from 'chai';

const IN_A_MINUTE = after(START, minutes(1));
const IN_AN_HOUR = after(START, hours(1));
const MINE: Lease = leaseOf(aReservation(1));

/** The lease of another request that took the first key over. */
export async function taken(port: RoleStore): Promise<Lease> {
  const request = aReservation(1, {
    token: aToken(2),
    now: IN_A_MINUTE,
    until: after(IN_A_MINUTE, minutes(1)),
  });
  const outcome = await port.reserve(request);
  expect(outcome.kind).to.equal('reserved');
  return leaseOf(request);
}

function ask(port: RoleStore, now: Instant): ReturnType<RoleStore['reserve']> {
  return port.reserve(aReservation(1, { token: aToken(9), now, until: after(now, minutes(1)) }));
}

/** Leases whose tokens are nearly that of another, which holds. */
export function nearly(lease: Lease): readonly Lease[] {
  return nearTokens(lease.token).map((token) => ({ ...lease, token }));
}

export const leaseClauses: ClauseTable<RoleStore> = {
  'role-store/renew-held: a lease whose token is stored is held and lasts until the new instant, lapsed or not':
    inEachEra(async (port, other, start) => {
      await port.reserve(aReservation(1, { now: start, until: after(start, minutes(1)) }));
      let until = start;
      for (const [store, pause] of [
        [port, hours(2)],
        [other, hours(2)],
        [port, hours(4)],
        [other, duration(1)],
      ] as const) {
        until = after(start, pause);
        expect(await store.renew(MINE, until)).to.deep.equal({ kind: 'held' });
        const inProgress = { kind: 'in_progress', until };
        for (const handle of [port, other]) {
          expect(await ask(handle, start), 'for long').to.deep.equal(inProgress);
          expect(await ask(handle, (until - 1) as Instant)).to.deep.equal(inProgress);
        }
      }
      expect((await ask(other, until)).kind, 'from its instant on').to.equal('reserved');
    }),
  'role-store/renew-lost: a lease whose token was replaced, released or completed is lost, and nothing changes':
    withPeer(async (port, other) => {
      const lost = { kind: 'lost' };
      expect(await port.renew(MINE, IN_AN_HOUR), 'never reserved').to.deep.equal(lost);
      await port.reserve(aReservation(1));
      const theirs = await taken(other);
      expect(await port.renew(MINE, IN_AN_HOUR), 'replaced').to.deep.equal(lost);
      const until = after(IN_A_MINUTE, minutes(1));
      expect(await ask(port, IN_A_MINUTE)).to.deep.equal({ kind: 'in_progress', until });
      for (const near of nearly(theirs)) {
        expect(await port.renew(near, IN_AN_HOUR), `of ${near.token}`).to.deep.equal(lost);
        expect(await ask(port, IN_A_MINUTE)).to.deep.equal({ kind: 'in_progress', until });
      }
      await other.release(theirs);
      expect(await port.renew(theirs, IN_AN_HOUR), 'released').to.deep.equal(lost);
      const again = await ask(port, IN_A_MINUTE);
      if (again.kind !== 'reserved') throw new Error(`a released key is ${again.kind}`);
      await port.commit(aPublication(1), again.lease, [anEvent()]);
      expect(await other.renew(again.lease, IN_AN_HOUR), 'completed').to.deep.equal(lost);
      expect((await ask(other, IN_A_MINUTE)).kind).to.equal('complete');
    }),
  'role-store/release-frees: a released key can be reserved at once, with any fingerprint': withPeer(
    async (port, other) => {
      await port.reserve(aReservation(1));
      for (const store of [port, other]) expect((await ask(store, START)).kind).to.equal('in_progress');
      await other.release(MINE);
      const same = aReservation(1, { token: aToken(4) });
      expect(await port.reserve(same)).to.deep.include({ kind: 'reserved', lease: leaseOf(same) });
      await port.release(leaseOf(same));
      const next = aReservation(1, { token: aToken(2), fingerprint: aFingerprint(5) });
      expect(await port.reserve(next)).to.deep.include({ kind: 'reserved', lease: leaseOf(next) });
      await port.release(leaseOf(next));
      await port.release(leaseOf(next));
      const last = aReservation(1, { token: aToken(3) });
      expect(await other.reserve(last)).to.deep.include({ kind: 'reserved', lease: leaseOf(last) });
    },
  ),
  'role-store/release-only-own: a lost lease releases nothing, and a complete key stays complete': withPeer(
    async (port, other) => {
      await port.reserve(aReservation(1));
      await port.reserve(aReservation(2));
      const theirs = await taken(other);
      await port.release(MINE);
      for (const near of nearly(theirs)) await port.release(near);
      const until = after(IN_A_MINUTE, minutes(1));
      expect(await ask(port, IN_A_MINUTE)).to.deep.equal({ kind: 'in_progress', until });
      const neighbour = leaseOf(aReservation(2));
      expect(await port.renew(neighbour, IN_AN_HOUR), 'another key').to.deep.equal({ kind: 'held' });
      for (const n of [3, 4]) await port.reserve(aReservation(n, { now: IN_AN_HOUR }));
      await port.release(MINE);
      expect(await other.renew(theirs, until), 'what lapsed since').to.deep.equal({ kind: 'held' });
      await other.commit(aPublication(1), theirs, [anEvent()]);
      await other.release(theirs);
      await port.release(MINE);
      expect((await ask(port, IN_AN_HOUR)).kind).to.equal('complete');
    },
  ),
};
