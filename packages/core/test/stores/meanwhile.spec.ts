import {
  aConsent,
  aLink,
  anApiKey,
  anApiKeyId,
  anEvent,
  aRedemption,
  aRegistration,
  aReservation,
  aRoleId,
  aSession,
  aToken,
  leaseOf,
  START,
} from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { type AccountId, after, days, duration, minutes } from '../../src/index.ts';
import type { Database } from '../../src/records.ts';
import { newDatabase, storesOver } from './memory-stores.ts';

const LATER = after(START, days(1));

/** Opens stores, and others in which `work` runs after each read, before the program locks. */
function openStores() {
  const database = newDatabase();
  const openBefore = (work: () => Promise<unknown>) => {
    const read: Database['read'] = async (...args) => {
      const found = await database.read(...args);
      await work();
      return found;
    };
    return storesOver(Object.assign(database.peer(), { read }));
  };
  return { ...storesOver(database), openBefore };
}

describe('a record that changes between the read and the lock of a program', () => {
  it('stays, if it is a key that is marked as ensured', async () => {
    const { apiKeys, openBefore } = openStores();
    for (const n of [1, 2]) await apiKeys.create(anApiKey(n), []);
    await apiKeys.revoke(anApiKeyId(2), START, []);
    const other = openBefore(() => apiKeys.create(anApiKey(2, { isEnsured: true }), []));
    expect(await other.apiKeys.purge(LATER, 10)).to.equal(0);
    expect(await apiKeys.find(anApiKeyId(2))).not.to.equal(undefined);
  });

  it('is not created again by recording its use, if it is a key that is removed', async () => {
    const { apiKeys, openBefore } = openStores();
    for (const n of [1, 2]) await apiKeys.create(anApiKey(n), []);
    await apiKeys.revoke(anApiKeyId(2), START, []);
    const other = openBefore(() => apiKeys.purge(LATER, 10));
    await other.apiKeys.touch(anApiKeyId(2), LATER, START);
    expect(await apiKeys.find(anApiKeyId(2))).to.equal(undefined);
  });

  it('has one event of its end, if it is a session that another program ends', async () => {
    const { sessions, history, openBefore } = openStores();
    const { tokenHash, account } = aSession(1);
    await sessions.begin(aSession(1), []);
    const other = openBefore(() => sessions.end(tokenHash, [anEvent()]));
    await other.sessions.end(tokenHash, [anEvent()]);
    const all = { account, pin: undefined, since: undefined, after: undefined, limit: 10 };
    expect((await history.list(all)).items).to.have.length(1);
  });

  it('stays, if it is a pairing that is registered again', async () => {
    const { pairings, openBefore } = openStores();
    const { secretHash, limit, endsAt } = aRegistration(1);
    await pairings.register(aRegistration(1));
    const again = { secretHash, limit, now: LATER, endsAt: after(LATER, minutes(10)) };
    const other = openBefore(() => pairings.register(again));
    expect(await other.pairings.purge(endsAt, 10)).to.equal(0);
    expect(await pairings.find(secretHash, LATER)).not.to.equal(undefined);
  });

  it('stays until the next purge, if it is a pairing that gets its consent at the last moment', async () => {
    const { pairings, openBefore } = openStores();
    const { secretHash, endsAt } = aRegistration(1);
    await pairings.register(aRegistration(1));
    const other = openBefore(() => pairings.agree(secretHash, aConsent(1), START, []));
    expect(await other.pairings.purge(endsAt, 10)).to.equal(0);
    expect((await pairings.find(secretHash, START))?.consent).to.deep.equal(aConsent(1));
    expect(await pairings.purge(endsAt, 10)).to.equal(1);
  });

  it('is unknown, if it is a sign-in link that is redeemed', async () => {
    const { sessions, openBefore } = openStores();
    await sessions.offer(aLink(1), []);
    const other = openBefore(() => sessions.redeem(aRedemption(aLink(1), aSession(1)), []));
    const outcome = await other.sessions.redeem(aRedemption(aLink(1), aSession(2)), []);
    expect(outcome).to.deep.equal({ kind: 'unknown' });
  });

  it('is removed, if it is an event, with an older one of another account that is recorded meanwhile', async () => {
    const { sessions, history, openBefore } = openStores();
    await sessions.begin(aSession(1), [anEvent({ recordedAt: after(START, duration(2)) })]);
    let hasHappened = false;
    const other = openBefore(async () => {
      if (hasHappened) return;
      hasHappened = true;
      const account = 'another' as AccountId;
      await sessions.begin(aSession(2), [anEvent({ account, recordedAt: after(START, duration(1)) })]);
      await history.feed({ account: undefined, pin: undefined, after: 0, limit: 1 });
    });
    expect(await other.history.drop(LATER, 10)).to.equal(2);
  });

  it('is not counted as removed, if it is a reservation that is released', async () => {
    const { roles, openBefore } = openStores();
    await roles.reserve(aReservation(1));
    const other = openBefore(() => roles.release(leaseOf(aReservation(1))));
    expect(await other.roles.purge(LATER, 10)).to.equal(0);
  });

  it('stays, if it is a lapsed reservation that is made again', async () => {
    const { roles, openBefore } = openStores();
    await roles.reserve(aReservation(1));
    const until = after(LATER, minutes(1));
    const other = openBefore(() => roles.reserve(aReservation(1, { token: aToken(2), now: LATER, until })));
    expect(await other.roles.purge(LATER, 10)).to.equal(0);
    expect(await roles.purge(until, 10)).to.equal(1);
  });

  it('keeps its count, if it is a window of tries that opens again', async () => {
    const { attempts, openBefore } = openStores();
    const limits = { perAddress: 1, perRole: 1, window: minutes(5) };
    const attempt = { role: aRoleId(1), address: '192.0.2.1', now: START, ...limits };
    const again = { ...attempt, now: LATER };
    const beginAndSettle = async (wanted: typeof attempt): Promise<void> => {
      const outcome = await attempts.begin(wanted);
      if (outcome.kind === 'admitted') await attempts.settle(outcome.ticket);
    };
    await beginAndSettle(attempt);
    const other = openBefore(() => beginAndSettle(again));
    expect(await other.attempts.purge(LATER, 10)).to.equal(0);
    expect((await attempts.begin(again)).kind).to.equal('limited');
  });
});
