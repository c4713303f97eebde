import {
  aConsent,
  aLink,
  anApiKey,
  anApiKeyId,
  anEvent,
  aPublication,
  aRegistration,
  aReservation,
  aRole,
  aRoleId,
  aSession,
  aToken,
  leaseOf,
  START,
} from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import {
  type AccountId,
  type Attempt,
  after,
  before,
  days,
  duration,
  type HistoryEvent,
  minutes,
} from '../../src/index.ts';
import { newDatabase, type Stores, storesOver } from './memory-stores.ts';

/** More accounts than one program can lock. */
const ACCOUNTS = 130;
const END = after(START, days(7));

function openStores() {
  const database = newDatabase();
  const peer = (): Stores => storesOver(database.peer());
  return { stores: peer(), peer };
}

function accountOf(n: number): AccountId {
  return `team-${n}` as AccountId;
}

/** A try of the password of the `n`th role. */
function aTryOf(n: number): Attempt {
  const limits = { perAddress: 5, perRole: 5 };
  return { role: aRoleId(n), address: '192.0.2.1', now: START, window: minutes(5), ...limits };
}

/** Publishes a role of each of many accounts. */
async function publishMany({ roles }: Stores): Promise<void> {
  for (let n = 1; n <= ACCOUNTS; n += 1) {
    const account = accountOf(n);
    const reservation = aReservation(n, { account });
    await roles.reserve(reservation);
    const expiresAt = before(END, duration(n));
    await roles.commit(aPublication(n, { account, expiresAt }), leaseOf(reservation), [
      anEvent({ account, pin: aRole(n).id, recordedAt: after(START, duration(n)) }),
    ]);
  }
}

describe('a store call for more accounts than one program can lock', () => {
  it('claims roles for cleanup, the longest waiting first, and each for only one of concurrent cleanups', async () => {
    const { stores, peer } = openStores();
    await publishMany(stores);
    const claim = { now: END, endedBefore: END, until: after(END, minutes(10)) };
    const first = await stores.roles.claimForCleanup({ ...claim, token: aToken(1), limit: 110 });
    const longest = Array.from({ length: 110 }, (_, n) => aRole(ACCOUNTS - n).id);
    expect(first.map(({ role }) => role)).to.deep.equal(longest);
    const later = { ...claim, now: claim.until, until: after(claim.until, minutes(10)), limit: 50 };
    const rest = await Promise.all(
      [2, 3, 4].map((n) => peer().roles.claimForCleanup({ ...later, token: aToken(n) })),
    );
    expect(rest.map(({ length }) => length).toSorted()).to.deep.equal([30, 50, 50]);
    expect(new Set(rest.flat().map(({ role }) => role)).size).to.equal(ACCOUNTS);
  });

  it('records expirations, each with one event', async () => {
    const { stores, peer } = openStores();
    await publishMany(stores);
    const expired = await stores.history.expired(END, 1_000);
    expect(expired).to.have.lengthOf(ACCOUNTS);
    const events = expired.map(({ role: pin, account, expiresAt: at }) =>
      anEvent({ type: 'pin.expired', pin, account, at }),
    );
    await Promise.all([
      stores.history.recordExpired(events),
      peer().history.recordExpired(events.toReversed()),
    ]);
    expect(await stores.history.expired(END, 1_000)).to.deep.equal([]);
    const { last } = await stores.history.feed({ account: undefined, pin: undefined, after: 0, limit: 1 });
    expect(last.number).to.equal(2 * ACCOUNTS);
  });

  it('removes events concurrently, while others are recorded', async () => {
    const { stores, peer } = openStores();
    await publishMany(stores);
    const newEvents = Array.from({ length: 40 }, (_, n) =>
      anEvent({ account: accountOf(n), recordedAt: after(START, days(2)) }),
    );
    const [first, second] = await Promise.all([
      stores.history.drop(after(START, days(1)), 1_000),
      peer().history.drop(after(START, days(1)), 1_000),
      ...newEvents.map((event, n) => peer().sessions.begin(aSession(n), [event])),
    ]);
    expect(first + second).to.equal(ACCOUNTS);
    const idOf = ({ id }: Pick<HistoryEvent, 'id'>): string => id;
    const all = { account: undefined, pin: undefined, since: undefined, after: undefined, limit: 100 };
    expect((await stores.history.list(all)).items.map(idOf)).to.have.members(newEvents.map(idOf));
  });

  it('removes events up to a limit', async () => {
    const { stores } = openStores();
    await publishMany(stores);
    expect(await stores.history.drop(after(START, days(1)), 100)).to.equal(100);
    expect(await stores.history.drop(after(START, days(1)), 100)).to.equal(ACCOUNTS - 100);
  });

  it('trims the events of roles that have too many, up to the limit', async () => {
    const { stores } = openStores();
    await publishMany(stores);
    const more = Array.from({ length: ACCOUNTS }, (_, n) =>
      anEvent({ account: accountOf(n + 1), pin: aRole(n + 1).id, at: END, recordedAt: END }),
    );
    await stores.sessions.begin(aSession(1), more.slice(0, 90));
    await stores.sessions.begin(aSession(2), more.slice(90));
    const trimming = { since: START, until: after(END, duration(1)), keep: 1, limit: 115 };
    expect(await stores.history.trimEvents(trimming)).to.equal(115);
    expect(await stores.history.trimEvents(trimming)).to.equal(ACCOUNTS - 115);
    expect(await stores.history.trimEvents(trimming)).to.equal(0);
  });

  it('removes sessions, links, keys, pairings and tries concurrently', async () => {
    const { stores, peer } = openStores();
    const { sessions, apiKeys, pairings, attempts } = stores;
    for (let n = 1; n <= ACCOUNTS; n += 1) {
      const account = accountOf(n);
      await sessions.begin(aSession(n, { account }), []);
      await sessions.offer(aLink(n, { account }), []);
      await apiKeys.create(anApiKey(n, { account }), []);
      await apiKeys.revoke(anApiKeyId(n), START, []);
      await pairings.register(aRegistration(n));
      await pairings.agree(aRegistration(n).secretHash, aConsent(n, { account }), START, []);
      await attempts.begin(aTryOf(n));
    }
    const removals = [
      (open: Stores) => open.sessions.purge(END, 1_000),
      (open: Stores) => open.apiKeys.purge(END, 1_000),
      (open: Stores) => open.pairings.purge(END, 1_000),
      (open: Stores) => open.attempts.purge(END, 1_000),
    ];
    const removed = removals.map(async (remove) => {
      const [one, other] = await Promise.all([remove(stores), remove(peer())]);
      return one + other;
    });
    // The oldest key stays, so that no later key is the first. A try has a window of its address and one of its role.
    expect(await Promise.all(removed)).to.deep.equal([2 * ACCOUNTS, ACCOUNTS - 1, ACCOUNTS, 3 * ACCOUNTS]);
  });
});
