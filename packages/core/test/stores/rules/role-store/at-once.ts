import {
  type AccountId,
  after,
  type CleanupOutcome,
  days,
  hours,
  type Lease,
  minutes,
  type Reservation,
  type RoleStore,
  type Title,
} from '@pinfold/core';
import type { StoreSubject } from '@pinfold/test-contracts';
import {
  ACCOUNT,
  aKey,
  anEvent,
  aPublication,
  aReservation,
  aRoleId,
  aToken,
  leaseOf,
  publishTo,
  START,
} from '@pinfold/test-contracts/fixtures';
import {
  aClaim,
  aFingerprint,
  type ClauseTable,
  END,
  loadedRole,
  UNBOUNDED,
} from '@pinfold/test-contracts/internal';
import { expect } from 'chai';

const NOON = after(START, hours(12));
const OTHER = 'globex' as AccountId;

/** Roles of two accounts and each state, one key of both, and a held key. */
async function publishMixed(port: RoleStore): Promise<void> {
  for (let n = 1; n <= 8; n += 1) {
    const publishedAt = after(START, minutes(n % 3));
    const expiresAt = n % 4 === 0 ? NOON : END;
    const deletedAt = n % 4 === 1 ? after(START, hours(1)) : null;
    await publishTo(port, aPublication(n, { publishedAt, expiresAt, deletedAt }));
  }
  for (const n of [9, 10])
    await publishTo(port, aPublication(n, { account: OTHER, idempotencyKey: aKey(n - 8) }));
  const hour = after(START, hours(1));
  await port.claimForCleanup(aClaim(90, hour, { until: END, limit: 1 }));
  for (const now of [START, NOON]) {
    const n = now === START ? 20 : 21;
    await port.reserve(aReservation(n, { now, until: END }));
  }
}

const REQUESTS: readonly Reservation[] = [
  aReservation(20),
  aReservation(20, { fingerprint: aFingerprint(1) }),
  aReservation(20, { now: NOON, limits: { ...UNBOUNDED, sites: 0 } }),
  aReservation(1),
  aReservation(2),
  aReservation(1, { account: OTHER, fingerprint: aFingerprint(9) }),
  ...[0, 1].map((sites) => aReservation(40, { limits: { ...UNBOUNDED, sites } })),
  ...[0, 1].map((bytes) => aReservation(40, { limits: { ...UNBOUNDED, bytes } })),
  aReservation(40, { account: OTHER, limits: { ...UNBOUNDED, sites: 0 } }),
  aReservation(40, { limits: { ...UNBOUNDED, sites: 0 }, now: NOON }),
  aReservation(41, { limits: { ...UNBOUNDED, bytes: 0 } }),
].map((request) => ({ ...request, token: aToken(99) }));

/** The lease after another holder took over its key. */
function lost(lease: Lease): Lease {
  return { ...lease, token: aToken(98) };
}

function bothWays<Value>(one: Value, other: Value): readonly (readonly [Value, Value])[] {
  return [
    [one, other],
    [other, one],
  ];
}

async function holdAtOnce(port: RoleStore): Promise<void> {
  const requests = [ACCOUNT, OTHER].map((account) => aReservation(50, { account, until: NOON }));
  const reserved = await Promise.all(requests.map((request) => port.reserve(request)));
  const leases = reserved.map((outcome) => outcome.kind === 'reserved' && outcome.lease);
  expect(leases, 'one key of two accounts').to.deep.equal(requests.map(leaseOf));
  const [mine, theirs] = requests.map(leaseOf) as [Lease, Lease];
  for (const [early, late] of bothWays(mine, theirs)) {
    const renewed = [port.renew(early, NOON), port.renew(late, END), port.renew(lost(early), END)];
    expect((await Promise.all(renewed)).map(({ kind }) => kind)).to.deep.equal(['held', 'held', 'lost']);
    for (const [{ account }, until] of [[early, NOON] as const, [late, END] as const]) {
      const asked = await port.reserve(aReservation(50, { account, token: aToken(99) }));
      expect(asked, `renewed for ${account}`).to.deep.equal({ kind: 'in_progress', until });
    }
  }
  for (const lease of [mine, theirs]) {
    const ways = bothWays(lease, lost(lease));
    await Promise.all((ways[lease === mine ? 0 : 1] ?? []).map((each) => port.release(each)));
    expect(await port.renew(lease, END), `released of ${lease.account}`).to.deep.equal({ kind: 'lost' });
  }
}

async function commitAtOnce(port: RoleStore): Promise<void> {
  const requests = [ACCOUNT, OTHER].map((account) => aReservation(60, { account, until: END }));
  for (const request of requests) await port.reserve(request);
  const publications = requests.map(({ account, key }, n) =>
    aPublication(60 + n, { account, idempotencyKey: key }),
  );
  const tried = requests.flatMap((request, n) => {
    const publication = publications[n] as (typeof publications)[number];
    const refused = { ...publication, limits: { ...UNBOUNDED, sites: 0 } };
    const [mine, theirs] = [leaseOf(request), lost(leaseOf(request))];
    return [
      port.commit(aPublication(70 + n, { ...publication.role, id: aRoleId(70 + n) }), theirs, [anEvent()]),
      n === 0 ? port.commit(publication, mine, [anEvent()]) : port.commit(refused, mine, [anEvent()]),
    ];
  });
  const kinds = (await Promise.all(tried)).map(({ kind }) => kind);
  expect(kinds, 'commits at once').to.deep.equal(['lease_lost', 'committed', 'lease_lost', 'refused']);
  const loaded = await Promise.all([60, 61, 70, 71].map((n) => port.load(aRoleId(n))));
  expect(loaded.map((each) => each?.value)).to.deep.equal([
    publications[0]?.role,
    undefined,
    undefined,
    undefined,
  ]);
}

async function saveAtOnce(port: RoleStore): Promise<void> {
  const [one, other] = await Promise.all([loadedRole(port, aRoleId(2)), loadedRole(port, aRoleId(3))]);
  await port.save(one.value, one.version, [anEvent()]);
  const saves = [one, other, one].map(({ value, version }, n) =>
    port.save({ ...value, title: `At once ${n}` as Title }, version, [anEvent()]),
  );
  expect((await Promise.all(saves)).map(({ kind }) => kind)).to.deep.equal(['conflict', 'saved', 'conflict']);
  const titles = await Promise.all([2, 3].map(async (n) => (await port.load(aRoleId(n)))?.value.title));
  expect(titles, 'saved at once').to.deep.equal([one.value.title, 'At once 1']);
}

async function cleanAtOnce(port: RoleStore): Promise<void> {
  const now = after(END, days(1));
  const request = aClaim(80, now);
  const [first, second, third, ...others] = await port.claimForCleanup(request);
  if (first === undefined || second === undefined || third === undefined) throw new Error('too few ended');
  const retryAt = after(now, minutes(1));
  const failed: CleanupOutcome = { kind: 'failed', retryAt };
  const removed: CleanupOutcome = { kind: 'removed' };
  await Promise.all([
    port.settleCleanup({ ...first, token: aToken(98) }, removed, [anEvent()]),
    port.settleCleanup(first, failed, [anEvent()]),
    port.settleCleanup(second, removed, [anEvent()]),
    port.settleCleanup({ ...second, token: aToken(98) }, failed, [anEvent()]),
    port.settleCleanup(third, failed, [anEvent()]),
  ]);
  const named = await port.whichAreNamed([first, second, third].map(({ archive }) => archive));
  expect(named, 'settled at once').to.deep.equal(new Set([first.archive, third.archive]));
  const next = await port.claimForCleanup({ ...request, now: retryAt, token: aToken(81) });
  expect(next.map(({ role, failures }) => [role, failures])).to.have.deep.members([
    [first.role, 1],
    [third.role, 1],
  ]);
  expect(others.length, 'claimed once').to.be.above(0);
  const begun = (await port.countForCleanup({ now, endedBefore: START, begunBefore: now })).reservations;
  expect(begun, 'reservations').to.be.above(2);
  const dropped = await Promise.all([port.purge(now, begun - 1), port.purge(now, begun - 1)]);
  expect((dropped[0] ?? 0) + (dropped[1] ?? 0), 'dropped by two at once').to.equal(begun);
}

export const atOnceClauses: ClauseTable<RoleStore, StoreSubject<RoleStore>> = {
  'role-store/at-once: of calls that one handle makes at once each is answered, and does, what it would alone':
    async ({ port, peer }) => {
      await publishMixed(port);
      const other = await peer();
      const alone: unknown[] = [];
      for (const request of REQUESTS) alone.push(await other.reserve(request));
      const atOnce = await Promise.all(REQUESTS.map((request) => port.reserve(request)));
      expect(atOnce, 'reservations').to.deep.equal(alone);
      await holdAtOnce(port);
      await commitAtOnce(port);
      await saveAtOnce(port);
      await cleanAtOnce(port);
    },
};
