import {
  anAccount,
  anApiKey,
  anApiKeyId,
  anEvent,
  aReservation,
  aRoleId,
  aSession,
  START,
} from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { after, type Day, days, duration, minutes, seconds } from '../../src/index.ts';
import { dayOf } from '../../src/internal.ts';
import { newDatabase, storesOver } from './memory-stores.ts';

const LATER = after(START, days(1));

describe('removing up to a limit', () => {
  it('removes the oldest sessions first, and no more than the limit if that takes several programs (transactions)', async () => {
    const { sessions } = storesOver();
    for (let n = 120; n > 0; n -= 1) await sessions.begin(aSession(n), []);
    expect(await sessions.purge(LATER, 1)).to.equal(1);
    expect(await sessions.find(aSession(1).tokenHash, START)).to.equal(undefined);
    expect(await sessions.purge(LATER, 100)).to.equal(100);
    expect(await sessions.find(aSession(101).tokenHash, START)).to.equal(undefined);
    expect(await sessions.find(aSession(102).tokenHash, START)).not.to.equal(undefined);
  });

  it('removes the oldest reservations first', async () => {
    const { roles } = storesOver();
    const requests = [3, 1, 2].map((n) => aReservation(n, { now: after(START, duration(n)) }));
    for (const request of requests) await roles.reserve(request);
    expect(await roles.purge(LATER, 1)).to.equal(1);
    const again = await Promise.all(requests.map((request) => roles.reserve(request)));
    expect(again.map(({ kind }) => kind)).to.deep.equal(['in_progress', 'reserved', 'in_progress']);
  });

  it('removes the views of the oldest days first', async () => {
    const { views } = storesOver();
    const today = dayOf(START);
    const counted = [2, 0, 1].map((n) => ({
      role: aRoleId(1),
      day: (today + n) as Day,
      views: 1,
      refusedPasswords: 0,
    }));
    await views.add(counted);
    expect(await views.drop((today + 5) as Day, 1)).to.equal(1);
    expect((await views.list(aRoleId(1), today)).map(({ day }) => day - today)).to.deep.equal([2, 1]);
  });

  it('removes every revoked key except the oldest of all keys, by creation and then by id', async () => {
    const { apiKeys } = storesOver();
    for (const [n, more] of [
      [2, { createdAt: after(START, duration(9)) }],
      [1, { createdAt: after(START, duration(9)) }],
      [0, { createdAt: after(START, duration(10)) }],
    ] as const) {
      await apiKeys.create(anApiKey(n, more), []);
      await apiKeys.revoke(anApiKeyId(n), START, []);
    }
    expect(await apiKeys.purge(LATER, 10)).to.equal(2);
    expect(await apiKeys.find(anApiKeyId(1))).not.to.equal(undefined);
  });
});

describe('a refused, repeated or limited call', () => {
  it('does not mark an existing key of a blocked account as one that a setting contains', async () => {
    const { accounts, apiKeys } = storesOver();
    const { name: account } = anAccount(1);
    await apiKeys.create(anApiKey(1, { account }), []);
    const blocked = { reason: 'It is a copy of a bank.', sites: 'keep', at: START } as const;
    await accounts.save(anAccount(1, { blocked }), (await accounts.load(account))?.version, []);
    const outcome = await apiKeys.create(anApiKey(1, { account, isEnsured: true }), []);
    expect(outcome.kind).not.to.equal('exists');
    expect((await apiKeys.find(anApiKeyId(1)))?.isEnsured).to.equal(false);
  });

  it('does not settle a later password try (count it as wrong) instead of one that is settled already', async () => {
    const { attempts } = storesOver();
    const limits = { perAddress: 2, perRole: 9, window: minutes(5) };
    const attempt = { role: aRoleId(1), address: '192.0.2.1', now: START, ...limits };
    const begin = async () => {
      const outcome = await attempts.begin(attempt);
      if (outcome.kind !== 'admitted') throw new Error(outcome.kind);
      return outcome.ticket;
    };
    const first = await begin();
    await attempts.settle(first);
    const second = await begin();
    await attempts.settle(first);
    await attempts.forgive(second);
    expect((await attempts.begin(attempt)).kind).to.equal('admitted');
  });

  it('finds the roles with extra events in steps of a minute, since there may be a million events', async () => {
    const database = newDatabase();
    const { history, sessions } = storesOver(database);
    const events = [0, 30, 60, 90].map((at) => anEvent({ recordedAt: after(START, seconds(at)) }));
    await sessions.begin(aSession(1), events);
    const steps: unknown[] = [];
    const read = database.read.bind(database);
    database.read = (query, args, signal) => {
      if (query.name === 'history.recent_roles') steps.push(args);
      return read(query, args, signal);
    };
    const until = after(START, seconds(90));
    await history.trimEvents({ since: START, until, keep: 1, limit: 10 });
    const middle = after(START, minutes(1));
    expect(steps).to.deep.equal([
      [{ since: START, until: middle }, undefined],
      [{ since: middle, until }, undefined],
    ]);
  });
});
