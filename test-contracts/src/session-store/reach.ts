import {
  type AccountId,
  after,
  before,
  hours,
  minutes,
  type SessionQuery,
  type SessionStore,
} from '@pinfold/core';
import { expect } from 'chai';
import { together } from '../concurrently.ts';
import type { Clause, StoreSubject, Subject } from '../contract.ts';
import { expectNothingLeft, inEveryEnd } from '../expect-aborts.ts';
import { expectFaults } from '../expect-faults.ts';
import { START } from '../fixtures/clock.ts';
import { ACCOUNT, anEvent } from '../fixtures/roles.ts';
import { aLink, aRedemption, aSession, aTokenHash } from '../fixtures/sessions.ts';

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

/** Fails unless lists at once, each of another account, instant, place and length, are those that come alone. */
async function expectListsAtOnce(
  subject: Subject<SessionStore>,
  accounts: readonly AccountId[],
): Promise<void> {
  const queries = [undefined, ...accounts].flatMap((account) =>
    [START, after(START, hours(14))].flatMap((now) =>
      [undefined, aTokenHash(20)].flatMap((from) =>
        [1, 100].map((limit) => ({ account, now, after: from, limit })),
      ),
    ),
  );
  const listed = await together(subject, queries.length, (store, n) =>
    store.list(queries[n] as SessionQuery),
  );
  for (const [n, query] of queries.entries()) {
    expect(listed[n], `at once, ${JSON.stringify(query)}`).to.deep.equal(await subject.port.list(query));
  }
}

/** Fails unless what some handle changes, while the same is asked or not, shows at the next look and no sooner. */
async function expectChangesToShow(
  subject: Subject<SessionStore>,
  changing: (subject: Subject<SessionStore>) => Promise<SessionStore>,
  isAsked: boolean,
): Promise<void> {
  const [{ port, peer }, by] = [subject, await changing(subject)];
  await port.begin(aSession(1), [anEvent()]);
  await port.offer(aLink(3), [anEvent()]);
  const all = { account: undefined, now: START, after: undefined, limit: 10 };
  const answersOf = (store: SessionStore) =>
    Promise.all([
      ...[1, 2, 3].map((n) => store.find(aTokenHash(n), START)),
      store.list(all),
      store.list({ ...all, account: ACCOUNT }),
    ]);
  const changes: Readonly<Record<string, () => Promise<unknown>>> = {
    'a new session': () => by.begin(aSession(2), [anEvent()]),
    'an end': () => by.end(aTokenHash(1), [anEvent()]),
    'a link that was redeemed': () => by.redeem(aRedemption(aLink(3), aSession(3)), [anEvent()]),
    'another in its place': async () => {
      await by.end(aTokenHash(2), [anEvent()]);
      await by.begin(aSession(4), [anEvent()]);
    },
    'a purge': () => by.purge(after(START, hours(24)), 10),
  };
  for (const [what, change] of Object.entries(changes)) {
    const answers = await answersOf(port);
    const before = structuredClone(answers);
    await Promise.all([isAsked ? answersOf(port) : undefined, change()]);
    const now = await answersOf(port);
    expect(now, `after ${what}`).to.deep.equal(await answersOf(await peer()));
    expect(now, `after ${what}`).not.to.deep.equal(before);
    expect(answers, `what was answered before ${what}`).to.deep.equal(before);
  }
}

/** What shows with many sessions, with many requests at once, and when nobody answers. */
export const reachClauses: readonly Clause<SessionStore, StoreSubject<SessionStore>>[] = [
  {
    id: 'session-store/purge-many',
    says: 'more than a thousand sessions and links are dropped, each time as many as the limit, until none is left',
    check: async ({ port, peer }, another) => {
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
  },
  {
    id: 'session-store/find-many',
    says: 'many sessions at once, begun and found over all peers, do not mix',
    check: async (subject) => {
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
      await expectListsAtOnce(
        subject,
        [0, 1, 2].map((n) => session(n).account),
      );
    },
  },
  {
    id: 'session-store/same-question',
    says: 'the same question asked again is answered by what any peer changed meanwhile, and what was answered before stays as it was',
    check: async (_, another) => {
      for (const isAsked of [false, true]) {
        await expectChangesToShow(await another(), ({ peer }) => peer(), isAsked);
        await expectChangesToShow(await another(), async ({ port }) => port, isAsked);
      }
    },
  },
  {
    id: 'session-store/lets-go',
    says: 'of a call that has ended nothing is left: no listener on its signal, no open file or connection',
    check: async ({ port, unreachable }) => {
      await port.begin(aSession(1), [anEvent()]);
      const dead = await unreachable();
      let made = 1;
      await expectNothingLeft({
        ...inEveryEnd(port, dead, {
          find: (store, signal) => store.find(aTokenHash(1), START, signal),
          'a session that is not there': (store, signal) => store.find(aTokenHash(2), START, signal),
        }),
        list: () => port.list({ account: undefined, now: START, after: undefined, limit: 10 }),
        'a link and its session': async () => {
          made += 1;
          await port.offer(aLink(made), []);
          await port.redeem(aRedemption(aLink(made), aSession(made)), []);
          await port.redeem(aRedemption(aLink(made), aSession(made)), []);
          await port.end(aTokenHash(made), []);
        },
        'a session and no link': async () => {
          made += 1;
          await port.begin(aSession(made), []);
          await port.end(aTokenHash(made), []);
          await port.end(aTokenHash(made), []);
        },
        'a refused sign-in': () => port.refuse({ ...anEvent(), account: ACCOUNT }, before(START, minutes(1))),
        purge: () => port.purge(START, 10),
      });
    },
  },
  {
    id: 'session-store/unreachable',
    says: 'while the database does not answer, every call rejects with the fault store_unavailable and what caused it',
    check: async ({ unreachable }) => {
      const port = await unreachable();
      const refused = { ...anEvent(), account: ACCOUNT };
      const calls = (): Readonly<Record<keyof SessionStore, Promise<unknown>>> => ({
        offer: port.offer(aLink(1), [anEvent()]),
        redeem: port.redeem(aRedemption(aLink(1), aSession(1)), [anEvent()]),
        begin: port.begin(aSession(1), [anEvent()]),
        find: port.find(aTokenHash(1), START),
        list: port.list({ account: undefined, now: START, after: undefined, limit: 10 }),
        end: port.end(aTokenHash(1), [anEvent()]),
        refuse: port.refuse(refused, before(START, minutes(1))),
        purge: port.purge(after(START, hours(1)), 10),
      });
      await expectFaults('store_unavailable', calls());
      await expectFaults('store_unavailable', calls());
      await expectFaults('store_unavailable', {
        'a list of none': port.list({ account: ACCOUNT, now: START, after: undefined, limit: 0 }),
        'a purge of none': port.purge(START, 0),
      });
    },
  },
];
