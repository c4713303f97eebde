import { accountId, type CommitOutcome, hours, type PublicationLimits, type RoleCommit } from '@pinfold/core';
import {
  anEvent,
  aPublication,
  aReservation,
  aRole,
  aSha256,
  aTakedown,
  aToken,
  leaseOf,
  START,
} from '@pinfold/test-contracts/fixtures';
import { aFingerprint, publish, type StoreClauses, withPeer } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import type { TakedownStores } from '../stores.ts';
import { FORBIDDEN, TAKEN_DOWN, takedownEvent } from './taken.ts';

const SHA256 = aSha256(1);
const NO_ROOM: PublicationLimits = {
  publications: { count: 1, window: hours(1) },
  sites: 0,
  bytes: 0,
  names: 0,
};

async function forbid({ takedowns }: TakedownStores): Promise<void> {
  const takedown = aTakedown(1, { sha256: SHA256 });
  const outcome = await takedowns.takeDown(takedown, undefined, [takedownEvent(takedown)]);
  expect(outcome).to.deep.equal(TAKEN_DOWN);
}

/** Commits the `n`th role, whose archive is the forbidden one by default. */
function commit(
  { roles }: TakedownStores,
  n: number,
  more: Partial<RoleCommit> = {},
): Promise<CommitOutcome> {
  const publication = aPublication(n, { sha256: SHA256 });
  return roles.commit({ ...publication, ...more }, leaseOf(aReservation(n)), [anEvent()]);
}

export const forbiddingClauses: StoreClauses<TakedownStores> = {
  'takedown-store/forbids-reserve: a forbidden archive is not reserved, for any account or by any peer, whatever rate and quota say, and the key stays free; a key in progress, complete or with another fingerprint returns that state':
    withPeer(async (port, other) => {
      const again = (n: number) => aReservation(n, { token: aToken(50 + n), sha256: SHA256 });
      for (const n of [1, 2]) await port.roles.reserve(again(n));
      const lease = leaseOf(again(1));
      await port.roles.commit(aPublication(1, { sha256: SHA256 }), lease, [anEvent()]);
      await forbid(port);
      for (const account of [accountId('acme'), accountId('nobody')]) {
        const reservation = aReservation(3, { account, sha256: SHA256, limits: NO_ROOM });
        expect(await other.roles.reserve(reservation), account).to.deep.equal(FORBIDDEN);
      }
      const free = aReservation(3, { sha256: aSha256(3) });
      expect((await other.roles.reserve(free)).kind, 'another archive').to.equal('reserved');
      expect((await other.roles.reserve(again(1))).kind).to.equal('complete');
      expect((await other.roles.reserve(again(2))).kind).to.equal('in_progress');
      const mismatch = { ...again(1), fingerprint: aFingerprint(9) };
      expect((await other.roles.reserve(mismatch)).kind).to.equal('mismatch');
    }),
  "takedown-store/forbids-commit: no account or peer can commit a forbidden archive, and the lease still holds; of commits concurrent with a takedown, only roles in the takedown's list of copies are in service":
    withPeer(async (port, other, { peer }) => {
      const { role } = await publish(port, 1);
      const numbers = [2, 3, 4, 5, 6, 7, 8, 9, 10];
      for (const n of numbers) await port.roles.reserve(aReservation(n));
      const stores = [port, other, await peer()];
      const copiesOf = async () => {
        await forbid(other);
        const query = { sha256: SHA256, now: START, after: undefined, limit: 100 };
        return await other.takedowns.copies(query);
      };
      const commits = numbers.map((n) => commit(stores[n % 3] ?? port, n));
      const [copies, ...outcomes] = await Promise.all([copiesOf(), ...commits]);
      const committed = numbers.filter((_, place) => outcomes[place]?.kind === 'committed');
      const ids = committed.map((n) => aRole(n).id);
      expect(copies).to.have.members([role.id, ...ids]);
      for (const [place, n] of numbers.entries()) {
        if (committed.includes(n)) continue;
        expect(outcomes[place]).to.deep.equal(FORBIDDEN);
      }
      await port.roles.reserve(aReservation(11));
      for (const store of stores) {
        const refused = await commit(store, 11, { limits: NO_ROOM });
        expect(refused, 'before rate and quota').to.deep.equal(FORBIDDEN);
      }
      expect(await port.roles.load(aRole(11).id)).to.equal(undefined);
      const second = await port.roles.reserve(aReservation(11, { token: aToken(99) }));
      expect(second.kind, 'its lease holds').to.equal('in_progress');
      const another = { ...aPublication(11), role: aRole(11) };
      expect(await commit(other, 11, another)).to.deep.equal({ kind: 'committed' });
    }),
};
