import { after, duration, type HistoryStore, hours } from '@pinfold/core';
import { expect } from 'chai';
import type { Clause, StoreSubject } from '../contract.ts';
import { expectFaults } from '../expect-faults.ts';
import { START } from '../fixtures/clock.ts';
import { ACCOUNT, anEvent } from '../fixtures/roles.ts';
import { aSession } from '../fixtures/sessions.ts';
import type { HistoryStores } from './subject.ts';
import { eventFor, publish, told, walk } from './told.ts';

/** More than a page of any size that a database, a driver or an adapter may have. */
const COUNT = 1_050;

/** What shows with many events, when somebody asks again, and when nobody answers. */
export const reachClauses: readonly Clause<HistoryStores, StoreSubject<HistoryStores>>[] = [
  {
    id: 'history-store/many',
    says: 'more than a thousand events, hundreds of them of one instant, are listed whole and dropped, each time as many as the limit, until none is left',
    check: async ({ port, peer }) => {
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
  },
  {
    id: 'history-store/same-question',
    says: 'the same question asked again is answered by what any peer changed meanwhile, and what was answered before stays as it was',
    check: async ({ port, peer }) => {
      const other = await peer();
      const { role } = await publish(port, 1);
      const end = role.expiresAt ?? START;
      const expired = eventFor(role, { type: 'pin.expired', at: end });
      const answersOf = async (stores: HistoryStores) => ({
        all: await told(stores),
        own: await told(stores, { account: role.account, pin: role.id }),
        feed: await stores.history.feed({ account: role.account, pin: undefined, after: 0, limit: 10 }),
        expired: (await stores.history.expired(end, 10)).toSorted((one, next) =>
          one.role < next.role ? -1 : 1,
        ),
      });
      const changes: Readonly<Record<string, () => Promise<unknown>>> = {
        'a publication': () => publish(other, 2),
        'what was told': () => other.history.tellExpired([expired]),
        'what was dropped': () => other.history.drop(end, 10),
      };
      for (const [what, change] of Object.entries(changes)) {
        const answers = await answersOf(port);
        const before = structuredClone(answers);
        await change();
        const now = await answersOf(port);
        expect(now, `after ${what} by a peer`).to.deep.equal(await answersOf(await peer()));
        expect(now, `after ${what} by a peer`).not.to.deep.equal(before);
        expect(answers, `what was answered before ${what}`).to.deep.equal(before);
      }
    },
  },
  {
    id: 'history-store/unreachable',
    says: 'while the database does not answer, every call rejects with the fault store_unavailable and what caused it',
    check: async ({ unreachable }) => {
      const { history } = await unreachable();
      const query = { account: undefined, pin: undefined, since: undefined, after: undefined, limit: 10 };
      const calls: Readonly<Record<keyof HistoryStore, Promise<unknown>>> = {
        list: history.list(query),
        feed: history.feed({ account: undefined, pin: undefined, after: 0, limit: 10 }),
        expired: history.expired(START, 10),
        tellExpired: history.tellExpired([anEvent({ type: 'pin.expired' })]),
        drop: history.drop(START, 10),
        thin: history.thin({ since: START, until: START, keep: 1, limit: 10 }),
      };
      await expectFaults('store_unavailable', calls);
    },
  },
];
