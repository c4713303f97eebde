import {
  ACCOUNT,
  aConsent,
  aLink,
  anAccount,
  anApiKey,
  anEvent,
  aPairingRedemption,
  aPublication,
  aRegistration,
  aReservation,
  aRole,
  aRoleId,
  aSession,
  aTakedown,
  aToken,
  leaseOf,
  START,
} from '@pinfold/test-contracts/fixtures';
import { useEveryStore } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { after, days, hours, minutes, type NameToken, type PinName } from '../../src/index.ts';
import { dayOf } from '../../src/internal.ts';
import { STORE_SCHEMA } from '../../src/stores/create-persistence.ts';
import { type Stores, storesOver } from './memory-stores.ts';
import { WatchedReads } from './watched-reads.ts';

const LATER = after(START, days(30));

/**
 * Reads by a condition, without a limit of rows: an account, publication or session has only a bounded number of these.
 * Each is the name of a program (a transaction of a store) and a table.
 */
const UNLIMITED = [
  // The tries of one publication's password, which are limited.
  'attempts.begin attempt_windows',
  'attempts.begin attempts',
  'attempts.forgive attempt_windows',
  'attempts.judge attempt_windows',
  'attempts.judge attempts',
  // The days of some publications.
  'erasures.advance views',
  // The events of one publication, type and day.
  'history.record_once events',
  // The consents of one session.
  'pairings.agree pairings',
  // The sessions of one account, of which the oldest are to end.
  'sessions.begin sessions',
  'sessions.end_excess sessions',
  // The takedowns of a page of publications.
  'takedowns.of_roles takedowns',
  // The days of a publication.
  'views.add views',
  'views.list views',
];

/** Programs that take any rows, since all of them will be removed. */
const UNSORTED = ['erasures.advance', 'imports.clear'];

const BOUNDED = { publications: { count: 9, window: hours(1) }, sites: 9, bytes: 1_000_000, names: 9 };

/** Calls the stores so that all branches of their programs read. */
async function useBranches({ roles, sessions, apiKeys, pairings, history, attempts }: Stores): Promise<void> {
  const name = { name: 'latest' as PinName, token: '0'.repeat(22) as NameToken };
  for (const n of [20, 20, 22]) {
    await roles.reserve(aReservation(n));
    await roles.reserve(aReservation(n));
    await roles.commit({ ...aPublication(n), name }, leaseOf(aReservation(n)), []);
  }
  await roles.reserve(aReservation(21, { limits: BOUNDED }));
  await roles.purge(LATER, 10);
  await history.recordOnce(
    { ...anEvent({ type: 'pin.archive_read' }), account: ACCOUNT, pin: aRoleId(20) },
    START,
  );
  await history.recordExpired([
    anEvent({ pin: aRoleId(20), type: 'pin.expired', at: aRole(20).expiresAt ?? LATER }),
  ]);

  await apiKeys.create(anApiKey(20), []);
  for (let n = 20; n < 22; n += 1) await sessions.begin(aSession(n, { apiKey: anApiKey(20).id }), []);
  await sessions.offer(aLink(20), []);
  for (let n = 100; n < 200; n += 1) await sessions.begin(aSession(n), []);
  await sessions.begin(aSession(22), [], { ofActor: 1, ofAccount: 1 });
  for (const n of [20, 21]) await pairings.register(aRegistration(n));
  const consent = aConsent(20, { session: aSession(22).tokenHash, apiKey: anApiKey(20).id });
  await pairings.register(aRegistration(30));
  for (let times = 0; times < 2; times += 1) {
    await pairings.agree(aRegistration(30).secretHash, aConsent(30), START, []);
  }
  const credential = { key: anApiKey(20).id };
  for (const n of [20, 20, 21]) {
    await pairings.agree(aRegistration(n).secretHash, consent, START, [], credential);
  }
  await pairings.take(aPairingRedemption(21), []);
  const attempt = { role: aRoleId(20), address: '192.0.2.1', now: START, window: minutes(5) };
  await attempts.begin({ ...attempt, perAddress: 1, perRole: 1 });
  await attempts.countEnded(LATER);
}

/** Calls the methods that {@link useEveryStore} does not call. */
async function useRest({
  accounts,
  apiKeys,
  mode,
  roles,
  sessions,
  snapshot,
  takedowns,
  views,
}: Stores): Promise<void> {
  await accounts.save(anAccount(1), undefined, []);
  await accounts.load(anAccount(1).name);
  await accounts.list(undefined, 10);
  await mode.change({ kind: 'read_only', message: null }, []);
  await mode.load();
  for (let times = 0; times < 2; times += 1) {
    await views.add([{ role: aRoleId(20), day: dayOf(LATER), views: 1, refusedPasswords: 0 }]);
  }
  await roles.countForCleanup({ now: LATER, endedBefore: LATER, begunBefore: LATER });
  await roles.nextForCleanup({ now: LATER, endedBefore: LATER, limit: 10 });
  await roles.countStored({ now: START, after: undefined, limit: 10 });
  await sessions.refuse({ ...anEvent(), account: ACCOUNT }, START);
  await snapshot.recordScheduledExport(START);
  await snapshot.lastScheduledExport();
  await apiKeys.revoke(anApiKey(20).id, START, []);
  await takedowns.takeDown(aTakedown(22), undefined, []);
  const stopped = await roles.load(aRoleId(22));
  if (stopped !== undefined) await roles.save({ ...stopped.value, deletedAt: START }, stopped.version, []);
  await takedowns.claimPurge({ role: aRoleId(22), token: aToken(22), until: LATER });
}

/** Removes all that has ended. */
async function purge({ apiKeys, attempts, history, pairings, sessions }: Stores): Promise<void> {
  for (const store of [apiKeys, attempts, pairings, sessions]) await store.purge(LATER, 1_000);
  await history.drop(LATER, 1_000);
}

/** Moves all records to another database. */
async function move({ snapshot }: Stores, { imports, history }: Stores): Promise<void> {
  await imports.begin(aToken(1));
  await imports.isUnfinished();
  for await (const record of snapshot.records()) await imports.saveRecords(aToken(1), [record, record]);
  await imports.end(aToken(1));
  await history.feed({ account: ACCOUNT, pin: undefined, after: 0, limit: 10 });
}

async function watchEveryStore(): Promise<WatchedReads> {
  const reads = new WatchedReads();
  const open = (): Stores => storesOver(reads.open(STORE_SCHEMA));
  const stores = open();
  await useEveryStore({
    ...stores,
    check: async () => undefined,
    migrate: async () => undefined,
    close: async () => undefined,
  });
  await useBranches(stores);
  await useRest(stores);
  await move(stores, open());
  await purge(stores);
  // A serial database runs other branches.
  const serial = Object.assign(reads.open(STORE_SCHEMA), { isSerial: true });
  const { roles, sessions, history } = storesOver(serial);
  for (const n of [1, 1, 2]) await roles.reserve(aReservation(n));
  await roles.commit(aPublication(1), leaseOf(aReservation(1)), []);
  await roles.reserve(aReservation(1));

  await roles.reserve(aReservation(2, { now: LATER, until: after(LATER, minutes(1)), limits: BOUNDED }));
  await sessions.begin(aSession(1), [anEvent()]);
  await history.drop(LATER, 10);
  return reads;
}

describe('the reads of the stores', () => {
  let reads: WatchedReads;
  // Not in `before`, since mutation testing attributes its coverage to no test.
  beforeEach(async () => {
    reads = await watchEveryStore();
  });

  it('belong to every program of the schema, and to no other', () => {
    expect(reads.programs().toSorted()).to.deep.equal(
      STORE_SCHEMA.programs.map(({ name }) => name).toSorted(),
    );
  });

  it('select the columns that their programs use, and no others', () => {
    expect(reads.invalid()).to.deep.equal([]);
    expect(reads.unused()).to.deep.equal([]);
  });

  it('have a limit, or name the keys of their rows, unless few rows can meet their conditions', () => {
    expect(reads.unlimited()).to.deep.equal(UNLIMITED);
  });

  it('with a limit are in order, unless any row will do', () => {
    expect(reads.unsorted()).to.deep.equal(UNSORTED);
  });
});
