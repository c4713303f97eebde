import { type AccountId, after, before, hours, minutes, type SessionStore } from '@pinfold/core';
import { expect } from 'chai';
import { together } from '../concurrently.ts';
import type { ClauseTable, StoreSubject, Subject } from '../contract.ts';
import { START } from '../fixtures/clock.ts';
import { ACCOUNT, anEvent } from '../fixtures/roles.ts';
import { aLink, aRedemption, aSession, aTokenHash } from '../fixtures/sessions.ts';
import { type Ask, sharedClauses } from '../shared-clauses.ts';

/** More than a page of any size that a database, a driver or an adapter may have. */
const COUNT = 1_050;
const SOON = after(START, minutes(5));

/** Fails unless of many purges at once each counts what it dropped itself, and no more than its limit. */
async function expectPurgesAtOnce(subject: Subject<SessionStore>): Promise<void> {
  const { port } = subject;
  const ends = { endsAt: SOON };
  for (let n = 0; n < 40; n += 1) {
    if (n % 4 === 0) await port.offer(aLink(n, ends), []);
    else await port.begin(aSession(n, ends), []);
  }
  const counts = [...(await together(subject, 6, (store, n) => store.purge(SOON, n + 1)))];
  for (const [n, count] of counts.entries()) expect(count, `at once with others`).to.be.at.most(n + 1);
  counts.push(await port.purge(SOON, COUNT));
  expect(
    counts.reduce((sum, count) => sum + count, 0),
    'all of them together',
  ).to.equal(40);
}

export const reachClauses: ClauseTable<SessionStore, StoreSubject<SessionStore>> = {
  'session-store/purge-many: more than a thousand sessions and links are dropped, each time as many as the limit, until none is left':
    async ({ port, peer }, another) => {
      await expectPurgesAtOnce(await another());
      for (let n = 1; n <= COUNT; n += 1) {
        if (n % 2 === 0) await port.begin(aSession(n, { endsAt: SOON }), [anEvent()]);
        else await port.offer(aLink(n, { endsAt: SOON }), [anEvent()]);
      }
      await port.begin(aSession(COUNT + 1), [anEvent()]);
      const other = await peer();
      expect(await other.purge(SOON, COUNT - 20), 'of the first').to.equal(COUNT - 20);
      expect(await other.purge(SOON, 1_000), 'of the rest').to.equal(20);
      expect(await other.purge(SOON, 1_000), 'at last').to.equal(0);
      expect(await other.find(aTokenHash(COUNT + 1), START)).to.deep.equal(aSession(COUNT + 1));
    },
  'session-store/find-many: many sessions at once, begun and found over all peers, do not mix': async (
    subject,
  ) => {
    const session = (n: number) =>
      aSession(n, { account: `account ${n % 7}` as AccountId, displayName: `Ada ${n}` });
    const link = (n: number) => aLink(n, { account: session(n).account });
    await together(subject, 60, (store, n) => store.offer(link(n), [anEvent()]));
    await together<SessionStore, unknown>(subject, 60, (store, n) =>
      n % 2 === 0
        ? store.begin(session(n), [anEvent()])
        : store.redeem(aRedemption(link(n), session(n)), [anEvent()]),
    );
    const asked = (n: number) => {
      const [which, isOver] = [60 - (n % 61), Math.floor(n / 61) % 2 === 1];
      const now = isOver ? after(START, hours(24)) : START;
      return { hash: aTokenHash(which), now, answer: which === 60 || isOver ? undefined : session(which) };
    };
    const found = await together(subject, COUNT, (store, n) => store.find(asked(n).hash, asked(n).now));
    expect(found).to.deep.equal(found.map((_, n) => asked(n).answer));
  },
  ...sharedClauses<SessionStore, SessionStore, 'find' | 'list'>({
    suite: 'session-store',
    portOf: (sessions) => sessions,
    prepare: async (sessions) => {
      await sessions.begin(aSession(1), [anEvent()]);
      await sessions.offer(aLink(3), [anEvent()]);
    },
    reads: {
      find: [1, 2, 3].map((n) => (sessions, signal) => sessions.find(aTokenHash(n), START, signal)),
      list: [undefined, ACCOUNT, 'globex' as AccountId].flatMap((account) =>
        [START, after(START, hours(14))].flatMap((now) =>
          [undefined, aTokenHash(1)].flatMap((place) =>
            [0, 1, 10].map((limit): Ask<SessionStore> => {
              const query = { account, now, after: place, limit };
              return (sessions) => sessions.list(query);
            }),
          ),
        ),
      ),
    },
    writes: {
      offer: (sessions, _, n) => sessions.offer(aLink(n), [anEvent()]),
      redeem: [
        (sessions, _, n) => sessions.redeem(aRedemption(aLink(n), aSession(n)), [anEvent()]),
        async (sessions, _, n) => {
          await sessions.offer(aLink(n), []);
          await sessions.redeem(aRedemption(aLink(n), aSession(n)), []);
        },
      ],
      begin: (sessions, _, n) => sessions.begin(aSession(n), [anEvent()]),
      end: (sessions) => sessions.end(aTokenHash(1), [anEvent()]),
      refuse: (sessions) => sessions.refuse({ ...anEvent(), account: ACCOUNT }, before(START, minutes(1))),
      purge: [(sessions) => sessions.purge(START, 10), (sessions) => sessions.purge(START, 0)],
    },
    aborted: { find: 'find-aborted' },
    changes: {
      'a new session': (sessions) => sessions.begin(aSession(2), [anEvent()]),
      'an end': (sessions) => sessions.end(aTokenHash(1), [anEvent()]),
      'a link that was redeemed': (sessions) =>
        sessions.redeem(aRedemption(aLink(3), aSession(3)), [anEvent()]),
      'another in its place': async (sessions) => {
        await sessions.end(aTokenHash(2), [anEvent()]);
        await sessions.begin(aSession(4), [anEvent()]);
      },
      'a purge': (sessions) => sessions.purge(after(START, hours(24)), 10),
    },
  }),
};
