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

/** Stores, and others in which something happens each time after the others looked for what to remove. */
function openStores() {
  const database = newDatabase();
  const open = (handle: Database) => storesOver(handle);
  const openBefore = (happens: () => Promise<unknown>) => {
    const read: Database['read'] = async (...asked) => {
      const found = await database.read(...asked);
      await happens();
      return found;
    };
    return open(Object.assign(database.peer(), { read }));
  };
  return { ...open(database), openBefore };
}

describe('what was found to be removed and changed before it was locked', () => {
  it('is a key that was ensured: it stays', async () => {
    const { apiKeys, openBefore } = openStores();
    for (const n of [1, 2]) await apiKeys.create(anApiKey(n), []);
    await apiKeys.revoke(anApiKeyId(2), START, []);
    const other = openBefore(() => apiKeys.create(anApiKey(2, { isEnsured: true }), []));
    expect(await other.apiKeys.purge(LATER, 10)).to.equal(0);
    expect(await apiKeys.find(anApiKeyId(2))).not.to.equal(undefined);
  });

  it('is a key that was removed: its use is not noted', async () => {
    const { apiKeys, openBefore } = openStores();
    for (const n of [1, 2]) await apiKeys.create(anApiKey(n), []);
    await apiKeys.revoke(anApiKeyId(2), START, []);
    const other = openBefore(() => apiKeys.purge(LATER, 10));
    await other.apiKeys.touch(anApiKeyId(2), LATER, START);
    expect(await apiKeys.find(anApiKeyId(2))).to.equal(undefined);
  });

  it('is a session that another ended: its end has one event', async () => {
    const { sessions, history, openBefore } = openStores();
    const { tokenHash, account } = aSession(1);
    await sessions.begin(aSession(1), []);
    const other = openBefore(() => sessions.end(tokenHash, [anEvent()]));
    await other.sessions.end(tokenHash, [anEvent()]);
    const all = { account, pin: undefined, since: undefined, after: undefined, limit: 10 };
    expect((await history.list(all)).items).to.have.length(1);
  });

  it('is a program that asks again: it stays', async () => {
    const { pairings, openBefore } = openStores();
    const { secretHash, limit, endsAt } = aRegistration(1);
    await pairings.register(aRegistration(1));
    const again = { secretHash, limit, now: LATER, endsAt: after(LATER, minutes(10)) };
    const other = openBefore(() => pairings.register(again));
    expect(await other.pairings.purge(endsAt, 10)).to.equal(0);
    expect(await pairings.find(secretHash, LATER)).not.to.equal(undefined);
  });

  it('is a program that an account agreed to at the last moment: it stays until the next purge', async () => {
    const { pairings, openBefore } = openStores();
    const { secretHash, endsAt } = aRegistration(1);
    await pairings.register(aRegistration(1));
    const other = openBefore(() => pairings.agree(secretHash, aConsent(1), START, []));
    expect(await other.pairings.purge(endsAt, 10)).to.equal(0);
    expect((await pairings.find(secretHash, START))?.consent).to.deep.equal(aConsent(1));
    expect(await pairings.purge(endsAt, 10)).to.equal(1);
  });

  it('is a sign-in link that was redeemed: it is unknown', async () => {
    const { sessions, openBefore } = openStores();
    await sessions.offer(aLink(1), []);
    const other = openBefore(() => sessions.redeem(aRedemption(aLink(1), aSession(1)), []));
    const outcome = await other.sessions.redeem(aRedemption(aLink(1), aSession(2)), []);
    expect(outcome).to.deep.equal({ kind: 'unknown' });
  });

  it('is an event before which there is one of another account: both are removed, one after the other', async () => {
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

  it('is a reservation that was given back: nothing is removed', async () => {
    const { roles, openBefore } = openStores();
    await roles.reserve(aReservation(1));
    const other = openBefore(() => roles.release(leaseOf(aReservation(1))));
    expect(await other.roles.purge(LATER, 10)).to.equal(0);
  });

  it('is a reservation that lapsed and was made anew at the instant: it stays', async () => {
    const { roles, openBefore } = openStores();
    await roles.reserve(aReservation(1));
    const until = after(LATER, minutes(1));
    const other = openBefore(() => roles.reserve(aReservation(1, { token: aToken(2), now: LATER, until })));
    expect(await other.roles.purge(LATER, 10)).to.equal(0);
    expect(await roles.purge(until, 10)).to.equal(1);
  });

  it('is a window of tries that opened again: it keeps its count', async () => {
    const { attempts, openBefore } = openStores();
    const limits = { perAddress: 1, perRole: 1, window: minutes(5) };
    const attempt = { role: aRoleId(1), address: '192.0.2.1', now: START, ...limits };
    const again = { ...attempt, now: LATER };
    const settled = async (wanted: typeof attempt): Promise<void> => {
      const outcome = await attempts.begin(wanted);
      if (outcome.kind === 'admitted') await attempts.settle(outcome.ticket);
    };
    await settled(attempt);
    const other = openBefore(() => settled(again));
    expect(await other.attempts.purge(LATER, 10)).to.equal(0);
    expect((await attempts.begin(again)).kind).to.equal('limited');
  });
});
