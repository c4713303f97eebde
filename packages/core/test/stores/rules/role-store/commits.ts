import { setImmediate as nextTurn } from 'node:timers/promises';
import { after, days, minutes, type RoleCommit, type RoleId, type RoleStore } from '@pinfold/core';
import {
  aKey,
  anEvent,
  aPublication,
  aReservation,
  aRole,
  aToken,
  leaseOf,
  START,
} from '@pinfold/test-contracts/fixtures';
import {
  aRoleQuery,
  type ClauseTable,
  idsOf,
  meanwhile,
  walkArchives,
  withPeer,
} from '@pinfold/test-contracts/internal';
import { expect } from 'chai';

const IN_A_MINUTE = after(START, minutes(1));
const COMMITTED = { kind: 'committed' };
const LEASE_LOST = { kind: 'lease_lost' };

/** Whether each part of a publication is stored, read one after the other, twice. */
async function partsOf(port: RoleStore, { role }: RoleCommit, n: number): Promise<readonly boolean[]> {
  const parts: boolean[] = [];
  for (let round = 0; round < 2; round += 1) {
    parts.push((await port.load(role.id)) !== undefined);
    parts.push((await port.loadManifest(role.archive)) !== undefined);
    parts.push((await port.reserve(aReservation(n, { token: aToken(500 + n) }))).kind === 'complete');
    parts.push((await port.whichAreNamed([role.archive])).has(role.archive));
    parts.push(idsOf(await port.list(aRoleQuery())).includes(role.id));
    parts.push((await walkArchives(port, 100)).includes(role.archive));
    await nextTurn();
  }
  return parts;
}

/** Commits with a lapsed lease while another request takes the key over and commits; returns the committed roles. */
async function raceForKey(early: RoleStore, late: RoleStore, n: number): Promise<readonly RoleId[]> {
  const [mine, theirs] = [aPublication(n), aPublication(n + 100, { idempotencyKey: aKey(n) })];
  const until = after(IN_A_MINUTE, days(1));
  const request = aReservation(n, { token: aToken(n + 100), now: IN_A_MINUTE, until });
  await early.reserve(aReservation(n));
  const runners = [
    async () => await early.commit(mine, leaseOf(aReservation(n)), [anEvent()]),
    async () => {
      const reserved = await late.reserve(request);
      return reserved.kind === 'reserved'
        ? await late.commit(theirs, reserved.lease, [anEvent()])
        : LEASE_LOST;
    },
  ];
  const ids = [mine.role.id, theirs.role.id];
  if (n % 4 < 2) for (const order of [runners, ids]) order.reverse();
  const outcomes = await Promise.all(runners.map((run) => run()));
  return ids.filter((_, runner) => outcomes[runner]?.kind === 'committed');
}

export const commitClauses: ClauseTable<RoleStore> = {
  'role-store/commit-whole: after a commit, every peer sees role, manifest, warnings and key': withPeer(
    async (port, observer) => {
      const numbers = [1, 2, 3, 4, 5, 6, 7, 8];
      await Promise.all(numbers.map((n) => port.reserve(aReservation(n))));
      const commits = numbers.map((n) => port.commit(aPublication(n), leaseOf(aReservation(n)), [anEvent()]));
      const observed: (readonly boolean[])[] = [];
      const outcomes = await meanwhile(Promise.all(commits), async () => {
        for (const n of numbers) observed.push(await partsOf(observer, aPublication(n), n));
      });
      expect(outcomes).to.deep.equal(numbers.map(() => COMMITTED));
      for (const parts of observed) {
        const first = parts.indexOf(true);
        const after = first === -1 ? [] : parts.slice(first);
        expect(after, `a part of a publication was there alone: ${parts.join(' ')}`).not.to.include(false);
      }
      for (const n of numbers) {
        const { role, manifest, warnings } = aPublication(n);
        expect((await observer.load(role.id))?.value).to.deep.equal(role);
        expect(await observer.loadManifest(role.archive)).to.equal(manifest);
        const complete = { kind: 'complete', role: role.id, warnings };
        expect(await observer.reserve(aReservation(n))).to.deep.equal(complete);
      }
    },
  ),
  'role-store/commit-another: a lease that was completed with one role stores no other': withPeer(
    async (port, other) => {
      const lease = leaseOf(aReservation(1));
      await port.reserve(aReservation(1));
      await port.commit(aPublication(1), lease, [anEvent()]);
      const rival = aPublication(2, { idempotencyKey: aKey(1) });
      expect(await other.commit(rival, lease, [anEvent()])).to.deep.equal(LEASE_LOST);
      expect(await port.load(rival.role.id)).to.equal(undefined);
    },
  ),
  'role-store/commit-race: of two leases for one key at once at most one commits': async (subject) => {
    const ports = [subject.port, await subject.peer()] as const;
    const rounds = Array.from({ length: 12 }, (_, n) => n + 1);
    const races = rounds.map((n) => {
      const [early, late] = n % 2 === 0 ? ports : ([ports[1], ports[0]] as const);
      return raceForKey(early, late, n);
    });
    for (const [round, published] of (await Promise.all(races)).entries()) {
      const n = round + 1;
      expect(published, `race ${n}`).to.have.lengthOf(1);
      const complete = { kind: 'complete', role: published[0], warnings: [] };
      expect(await ports[0].reserve(aReservation(n, { token: aToken(n + 300) }))).to.deep.equal(complete);
      const stored = await Promise.all([n, n + 100].map((m) => ports[1].load(aRole(m).id)));
      expect(stored.filter((role) => role !== undefined)).to.have.lengthOf(1);
    }
  },
};
