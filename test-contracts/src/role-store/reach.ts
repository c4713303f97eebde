import {
  type AccountId,
  after,
  before,
  hours,
  type Instant,
  instant,
  minutes,
  type PasswordHash,
  type Reservation,
  type Role,
  type RoleStore,
  type Title,
  type Version,
} from '@pinfold/core';
import { expect } from 'chai';
import type { ClauseTable, StoreSubject } from '../contract.ts';
import { START } from '../fixtures/clock.ts';
import {
  aClaim,
  aComparison,
  aFingerprint,
  aKey,
  anArchiveId,
  anEvent,
  aPublication,
  aReservation,
  aRole,
  aRoleId,
  aToken,
  changeRole,
  leaseOf,
  publishTo,
  removeEnded,
  UNBOUNDED,
} from '../fixtures/roles.ts';
import { type Ask, type Asks, sharedClauses } from '../shared-clauses.ts';
import { asks, END, everything } from './asked.ts';

const IN_A_MINUTE: Instant = after(START, minutes(1));
const NOON: Instant = after(START, hours(12));
const LATER: Instant = after(END, hours(1));
const RATED = 'rated' as AccountId;
const rateOf = (count: number) => ({ ...UNBOUNDED, publications: { count, window: hours(2) } });
const CLAIM = aClaim(9, END);
const TASK = { ...aRole(9), role: aRoleId(9), token: aToken(1), failures: 0 };

/** Publishes for the account whose rate is taken from. */
async function publishRated(port: RoleStore, n: number): Promise<unknown> {
  const request = aReservation(n, { account: RATED });
  await port.reserve(request);
  const publication = aPublication(n, { account: RATED });
  return await port.commit({ ...publication, limits: rateOf(2) }, leaseOf(request), [anEvent()]);
}

/** A reservation that reserves nothing: it is refused, complete or a mismatch. */
function refused(n: number, more: Partial<Reservation>): Ask<RoleStore> {
  return (port) => port.reserve(aReservation(n, { token: aToken(900 + n), until: END, ...more }));
}

const changed = (more: Partial<Role>) => (port: RoleStore) => changeRole(port, aRoleId(1), more);

/** Questions to each of which another one is nearly the same. */
export const ROLE_READS: Asks<RoleStore, Read> = {
  load: [1, 2, 3, 9].map((n) => async (roles, signal) => roles.load(aRoleId(n), signal)),
  loadManifest: [1, 2, 3, 9].map((n) => (roles, signal) => roles.loadManifest(anArchiveId(n), signal)),
  list: [
    ...[
      {},
      { account: undefined, limit: 3 },
      ...[1, 2, 99].map((limit) => ({ limit })),
      { account: 'globex' as AccountId },
      { now: NOON },
      ...(['published', 'expired', 'deleted'] as const).map((state) => ({ state, now: NOON })),
      { idempotencyKey: aKey(2) },
      { idempotencyKey: aKey(1), account: 'globex' as AccountId },
      ...[
        { rank: IN_A_MINUTE, id: aRoleId(4) },
        { rank: IN_A_MINUTE, id: aRoleId(2) },
        { rank: after(START, minutes(2)), id: aRoleId(4) },
      ].map((place) => ({ after: place })),
      { state: 'published' } as const,
      { state: 'deleted' } as const,
      { state: 'expired' } as const,
      { idempotencyKey: aRole(1).idempotencyKey },
      { after: { rank: END, id: aRoleId(1) }, limit: 1 },
      { order: 'ending' } as const,
      { order: 'largest' } as const,
    ].map(
      (more): Ask<RoleStore> =>
        (roles) =>
          roles.list(asks(more)),
    ),
    ...['site', 'site 3', 'site 7', 'renamed'].map(
      (search): Ask<RoleStore> =>
        (roles) =>
          everything(roles, asks({ search })),
    ),
  ],
  whichAreNamed: [[1, 2, 3], [1, 3], [3, 1], [3, 9], [1], [2], [3], []].map(
    (ids) => (roles) => roles.whichAreNamed(ids.map(anArchiveId)),
  ),
  listArchives: [undefined, 1, 2, 9].flatMap((n) =>
    [1, 10].map(
      (limit): Ask<RoleStore> =>
        (roles) =>
          roles.listArchives(n === undefined ? n : anArchiveId(n), limit),
    ),
  ),
  countForCleanup: [END, IN_A_MINUTE].flatMap((now) =>
    [START, NOON, END].flatMap((then): Ask<RoleStore>[] => [
      (roles) => roles.countForCleanup({ now, endedBefore: then, begunBefore: now }),
      (roles) => roles.countForCleanup({ now, endedBefore: now, begunBefore: then }),
    ]),
  ),
  loadComparison: (roles) => roles.loadComparison(),
  reserve: [
    refused(1, {}),
    refused(1, { fingerprint: aFingerprint(5) }),
    refused(11, { limits: { ...UNBOUNDED, sites: 0 } }),
    refused(12, { limits: { ...UNBOUNDED, bytes: 0 } }),
    refused(13, { account: RATED, limits: rateOf(1) }),
  ],
};

export const reachClauses: ClauseTable<RoleStore, StoreSubject<RoleStore>> = {
  ...sharedClauses<RoleStore, RoleStore, Read>({
    suite: 'role-store',
    portOf: (roles) => roles,
    prepare: async (roles) => {
      for (const n of [1, 2]) await publishTo(roles, aPublication(n));
      await publishRated(roles, 20);
    },
    reads: ROLE_READS,
    writes: {
      renew: (roles, _, n) => roles.renew(leaseOf(aReservation(n)), END),
      release: (roles, _, n) => roles.release(leaseOf(aReservation(n))),
      commit: [[anEvent()], []].map(
        (events) => (roles, _, n) => roles.commit(aPublication(n), leaseOf(aReservation(n)), events),
      ),
      save: [undefined, 'operator' as const].map(
        (authority) => (roles, _, n) => roles.save(aRole(n), 1 as Version, [anEvent()], authority),
      ),
      claimForCleanup: [{ limit: 0 }, { endedBefore: instant(0) }, { endedBefore: START }].map(
        (more) => (roles) => roles.claimForCleanup({ ...CLAIM, ...more }),
      ),
      settleCleanup: [{ kind: 'removed' } as const, { kind: 'failed', retryAt: END } as const].map(
        (outcome) => (roles) => roles.settleCleanup(TASK, outcome, [anEvent()]),
      ),
      purge: [
        (roles) => roles.purge(instant(0), 1),
        (roles) => roles.purge(END, 0),
        (roles) => roles.purge(before(START, hours(2)), 10),
      ],
      keepComparison: [undefined, 1 as Version].map(
        (version) => (roles) => roles.keepComparison(aComparison(), version),
      ),
    },
    aborted: { load: 'load-aborted', loadManifest: 'manifest-aborted' },
    changes: {
      'a publication': (roles) => publishTo(roles, aPublication(3)),
      'an earlier reservation': (roles) =>
        roles.reserve(aReservation(9, { now: before(START, hours(1)), until: END })),
      'one more that is taken from a rate': (roles) => publishRated(roles, 21),
      'a new title': changed({ title: 'Renamed' as Title }),
      'a password': changed({ passwordHash: 'hash' as PasswordHash }),
      'a pin': changed({ pinned: true, expiresAt: null }),
      'no pin': changed({ pinned: false, expiresAt: END }),
      'a comparison': (roles) => roles.keepComparison(aComparison(), undefined),
      'a later comparison': async (roles) => {
        const kept = await roles.loadComparison();
        await roles.keepComparison(aComparison({ compared: 99 }), kept?.version);
      },
      'a stop': changed({ deletedAt: IN_A_MINUTE }),
      'a title of what is stopped': changed({ title: 'Stopped' as Title }),
      'a removal': (roles) => removeEnded(roles, END),
      'a title of what is removed': changed({ title: null }),
    },
  }),
  "role-store/answers-stay: what was answered is the caller's: nothing that is done or asked later changes it":
    async ({ port }) => {
      for (const n of [1, 2]) await publishTo(port, aPublication(n));
      const ask = async (n: number): Promise<readonly unknown[]> => [
        await port.load(aRoleId(n)),
        await port.list(asks({ limit: n })),
        await port.whichAreNamed([anArchiveId(n)]),
        await port.listArchives(undefined, n),
        await port.loadComparison(),
      ];
      const answers = await ask(1);
      const before = structuredClone(answers);
      await changeRole(port, aRoleId(1), { title: 'Renamed' as Title });
      await port.keepComparison(aComparison(), undefined);
      const tasks = await port.claimForCleanup(CLAIM);
      const claimed = structuredClone(tasks);
      expect(claimed).to.have.lengthOf(2);
      for (const task of tasks)
        await port.settleCleanup(task, { kind: 'failed', retryAt: LATER }, [anEvent()]);
      await port.claimForCleanup({ ...CLAIM, now: LATER });
      expect(tasks, 'what was claimed, once it is settled').to.deep.equal(claimed);
      await removeEnded(port, LATER);
      await ask(2);
      expect(answers).to.deep.equal(before);
    },
};

/** The methods that change nothing; of those that reserve, what is asked for is refused. */
type Read =
  | 'countForCleanup'
  | 'list'
  | 'listArchives'
  | 'load'
  | 'loadComparison'
  | 'loadManifest'
  | 'reserve'
  | 'whichAreNamed';
