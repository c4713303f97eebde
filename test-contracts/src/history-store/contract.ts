import { after, days, duration, type HistoryEvent, hours } from '@pinfold/core';
import { expect } from 'chai';
import { type Contract, type StoreSubject, toClauses } from '../contract.ts';
import { START } from '../fixtures/clock.ts';
import { ACCOUNT, anEvent, aRole, uuidOf } from '../fixtures/roles.ts';
import { aSession } from '../fixtures/sessions.ts';
import { harnessClauses } from '../harness.ts';
import { sharedClauses } from '../shared-clauses.ts';
import type { HistoryStores, StoreClauses } from '../stores.ts';
import { expiringClauses } from './expiring.ts';
import { feedingClauses } from './feeding.ts';
import { keepingClauses } from './keeping.ts';
import { readingClauses } from './reading.ts';
import { ALL, eventFor, publish, told, walk } from './told.ts';

/** More than a page of any size that a database, a driver or an adapter may have. */
const COUNT = 1_050;

const END = after(START, days(7));
const ROLE = aRole(1);

function expired(): HistoryEvent {
  return eventFor(ROLE, { type: 'pin.expired', at: END });
}

const reachClauses: StoreClauses<HistoryStores> = {
  'history-store/many: more than a thousand events, hundreds of them of one instant, are listed whole and dropped, each time as many as the limit, until none is left':
    async ({ port, peer }) => {
      const events = Array.from({ length: COUNT }, (_, n) => anEvent({ at: after(START, duration(n % 3)) }));
      for (let n = 0; n < COUNT; n += 50) await port.sessions.begin(aSession(n), events.slice(n, n + 50));
      const other = await peer();
      const ordered = events.toSorted((one, two) => two.at - one.at || (one.id > two.id ? -1 : 1));
      for (const limit of [100, 7]) {
        expect(await walk(other, { limit }), `${limit} a page`).to.deep.equal(ordered);
      }
      const feed = { account: ACCOUNT, pin: undefined, after: 1_001, limit: 100 };
      const { items, last } = await other.history.feed(feed);
      expect(items.map(({ number }) => number)).to.deep.equal(
        Array.from({ length: 49 }, (_, n) => 1_002 + n),
      );
      expect(last.number).to.equal(COUNT);
      const end = after(START, hours(1));
      expect(await other.history.drop(end, 1_000), 'of the first').to.equal(1_000);
      expect(await other.history.drop(end, 1_000), 'of the rest').to.equal(COUNT - 1_000);
      expect(await other.history.drop(end, 1_000), 'at last').to.equal(0);
      expect(await told(port)).to.deep.equal([]);
      expect((await other.history.feed(feed)).begin.number).to.equal(COUNT);
    },
  ...sharedClauses<HistoryStores, HistoryStores['history'], 'expired' | 'feed' | 'list'>({
    suite: 'history-store',
    portOf: ({ history }) => history,
    prepare: (stores) => publish(stores, 1),
    reads: {
      list: [{}, { account: ROLE.account, pin: ROLE.id }].map(
        (more) => (history) => history.list({ ...ALL, ...more }),
      ),
      feed: [10, 1].map(
        (limit) => (history) => history.feed({ account: ROLE.account, pin: undefined, after: 0, limit }),
      ),
      expired: [END, START].map(
        (by) => async (history) =>
          (await history.expired(by, 10)).toSorted((one, next) => (one.role < next.role ? -1 : 1)),
      ),
    },
    writes: {
      tellExpired: (history) => history.tellExpired([anEvent({ type: 'pin.expired' })]),
      drop: (history) => history.drop(START, 10),
      thin: (history) => history.thin({ since: START, until: START, keep: 1, limit: 10 }),
    },
    changes: {
      'a publication': (stores) => publish(stores, 2),
      'what was told': ({ history }) => history.tellExpired([expired()]),
      'what was dropped': ({ history }) => history.drop(END, 10),
    },
  }),
};

/** The clauses of every {@link HistoryStore}, and the stores whose events it gives. */
export const historyStoreContract: Contract<HistoryStores, StoreSubject<HistoryStores>> = {
  port: 'HistoryStore',
  harness: harnessClauses('history-store', {
    write: async (port, n) => {
      await port.sessions.begin(aSession(n), [anEvent({ request: uuidOf(n) })]);
    },
    sees: async (port, n) => (await told(port)).some(({ request }) => request === uuidOf(n)),
  }),
  clauses: toClauses({
    ...keepingClauses,
    ...readingClauses,
    ...feedingClauses,
    ...expiringClauses,
    ...reachClauses,
  }),
};
