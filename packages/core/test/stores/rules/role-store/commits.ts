import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  after,
  days,
  hours,
  minutes,
  type RoleCommit,
  type RoleId,
  type RoleStore,
  type Title,
} from '@pinfold/core';
import {
  aKey,
  aManifest,
  anEvent,
  aPublication,
  aReservation,
  aRole,
  aToken,
  leaseOf,
  START,
} from '@pinfold/test-contracts/fixtures';
import {
  asks,
  type ClauseTable,
  changeRole,
  idsOf,
  inEachEra,
  meanwhile,
  removeEnded,
  together,
  UNBOUNDED,
  walkArchives,
  withPeer,
} from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { nearly, taken } from './leases.ts';

const IN_A_MINUTE = after(START, minutes(1));
const COMMITTED = { kind: 'committed' };
const LEASE_LOST = { kind: 'lease_lost' };

/** Whether each part of a publication is there, looked at one after the other, twice. */
async function partsOf(port: RoleStore, { role }: RoleCommit, n: number): Promise<readonly boolean[]> {
  const parts: boolean[] = [];
  for (let round = 0; round < 2; round += 1) {
    parts.push((await port.load(role.id)) !== undefined);
    parts.push((await port.loadManifest(role.archive)) !== undefined);
    parts.push((await port.reserve(aReservation(n, { token: aToken(500 + n) }))).kind === 'complete');
    parts.push((await port.whichAreNamed([role.archive])).has(role.archive));
    parts.push(idsOf(await port.list(asks())).includes(role.id));
    parts.push((await walkArchives(port, 100)).includes(role.archive));
    await nextTurn();
  }
  return parts;
}

async function expectNothingOf(port: RoleStore, { role }: RoleCommit): Promise<void> {
  expect(await port.load(role.id), 'role').to.equal(undefined);
  expect(await port.loadManifest(role.archive), 'manifest').to.equal(undefined);
  expect((await port.whichAreNamed([role.archive])).size, 'named').to.equal(0);
  expect(await walkArchives(port, 1_000)).not.to.include(role.archive);
  const page = await port.list(asks({ account: role.account }));
  expect(page.items.map(({ id }) => id)).not.to.include(role.id);
}

/** Another role that wants the key of the first. */
function rival(n: number): RoleCommit {
  return aPublication(n, { idempotencyKey: aKey(1) });
}

/** One lapsed lease commits while another request takes its key over and commits; answers who published. */
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
  'role-store/commit-whole: after a commit, role, manifest, warnings and key are there for every peer':
    withPeer(async (port, observer) => {
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
    }),
  'role-store/commit-lease-lost: with a lease that was replaced, released or completed with another role nothing is stored':
    withPeer(async (port, other) => {
      const mine = leaseOf(aReservation(1));
      await port.reserve(aReservation(1));
      const theirs = await taken(other);
      expect(await port.commit(aPublication(1), mine, [anEvent()]), 'replaced').to.deep.equal(LEASE_LOST);
      await expectNothingOf(other, aPublication(1));
      for (const near of nearly(theirs)) {
        expect(await port.commit(aPublication(1), near, [anEvent()]), `of ${near.token}`).to.deep.equal(
          LEASE_LOST,
        );
      }
      await expectNothingOf(other, aPublication(1));
      const late = { ...aPublication(1), now: after(START, days(1)) };
      expect(await port.commit(late, mine, [anEvent()]), 'once that lapsed too').to.deep.equal(LEASE_LOST);
      const full = { ...late, limits: { ...UNBOUNDED, sites: 0 } };
      expect(await port.commit(full, mine, [anEvent()]), 'past a quota').to.deep.equal(LEASE_LOST);
      expect((await other.reserve(aReservation(1, { token: aToken(3) }))).kind).to.equal('in_progress');
      expect((await other.renew(theirs, IN_A_MINUTE)).kind, 'who took over').to.equal('held');
      await other.release(theirs);
      expect(await port.commit(rival(2), theirs, [anEvent()]), 'released').to.deep.equal(LEASE_LOST);
      await expectNothingOf(other, rival(2));
      await port.reserve(aReservation(1, { token: aToken(4) }));
      const last = { ...mine, token: aToken(4) };
      expect(await port.commit(rival(3), last, [anEvent()])).to.deep.equal(COMMITTED);
      expect(await other.commit(rival(4), last, [anEvent()]), 'completed').to.deep.equal(LEASE_LOST);
      await expectNothingOf(port, rival(4));
      expect(await other.commit(rival(3), theirs, [anEvent()]), 'of another').to.deep.equal(LEASE_LOST);
      const complete = { kind: 'complete', role: rival(3).role.id, warnings: [] };
      expect(await port.reserve(aReservation(1, { token: aToken(5) }))).to.deep.equal(complete);
    }),
  'role-store/commit-by-token: a lapsed lease whose token is still stored commits': inEachEra(
    async (port, _, start, { peer }) => {
      await port.reserve(aReservation(1, { now: start, until: after(start, minutes(1)) }));
      const publication = aPublication(1, { publishedAt: after(start, hours(5)) });
      expect(await (await peer()).commit(publication, leaseOf(aReservation(1)), [anEvent()])).to.deep.equal(
        COMMITTED,
      );
      expect((await port.load(publication.role.id))?.value).to.deep.equal(publication.role);
    },
  ),
  'role-store/commit-again: the same lease and role again answer committed, and change nothing': withPeer(
    async (port, peer, subject) => {
      const publication = aPublication(1);
      const { id, archive } = publication.role;
      await port.reserve(aReservation(1));
      const again = () =>
        together(subject, 6, (store) => store.commit(publication, leaseOf(aReservation(1)), [anEvent()]));
      expect(await again(), 'at once').to.deep.equal(Array.from({ length: 6 }, () => COMMITTED));
      await changeRole(port, id, { title: 'Renamed' as Title, deletedAt: IN_A_MINUTE });
      const saved = await port.load(id);
      expect((await again()).at(0)).to.deep.equal(COMMITTED);
      expect(await peer.load(id), 'a change since').to.deep.equal(saved);
      const other = {
        ...publication,
        manifest: aManifest(2),
        warnings: [{ rule: 'source_map', path: 'x' }],
      } as const;
      expect(await peer.commit(other, leaseOf(aReservation(1)), [anEvent()])).to.deep.equal(COMMITTED);
      expect(await port.loadManifest(archive), 'the manifest').to.equal(publication.manifest);
      const complete = { kind: 'complete', role: id, warnings: publication.warnings };
      expect(await port.reserve(aReservation(1)), 'the warnings').to.deep.equal(complete);
      await removeEnded(peer, IN_A_MINUTE);
      expect((await again()).at(0)).to.deep.equal(COMMITTED);
      expect(await port.loadManifest(archive), 'a removed manifest').to.equal(undefined);
      expect((await port.whichAreNamed([archive])).size).to.equal(0);
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
