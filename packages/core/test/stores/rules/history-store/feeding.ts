import { setImmediate } from 'node:timers/promises';
import {
  type AccountId,
  accountId,
  after,
  duration,
  type FeedPart,
  type FeedQuery,
  type HistoryEvent,
} from '@pinfold/core';
import { anEvent, aRoleId, aSession, START } from '@pinfold/test-contracts/fixtures';
import {
  eventFor,
  loaded,
  publish,
  type StoreClauses,
  together,
  withPeer,
} from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import type { HistoryStores } from '../stores.ts';

const [ONE, ANOTHER] = [accountId('one'), accountId('another')];
const BEGINNING = { number: 0, event: null };
const HOUR = after(START, duration(3_600_000));

function read({ history }: HistoryStores, query: Partial<FeedQuery> = {}): Promise<FeedPart> {
  return history.feed({ account: undefined, pin: undefined, after: 0, limit: 100, ...query });
}

async function record(
  { sessions }: HistoryStores,
  n: number,
  ...events: readonly HistoryEvent[]
): Promise<void> {
  await sessions.begin(aSession(n), events);
}

function numbered(events: readonly HistoryEvent[], first = 1): FeedPart['items'] {
  return events.map((event, n) => ({ number: first + n, event }));
}

function placeOf(event: HistoryEvent | undefined, number: number): FeedPart['last'] {
  return { number, event: event?.id ?? null };
}

/** Reads until a part without events after `isOver` was true; returns the ids and numbers in the order of reading. */
async function follow(
  stores: HistoryStores,
  query: Partial<FeedQuery>,
  isOver: () => boolean,
): Promise<readonly string[]> {
  const seen: string[] = [];
  for (let place = 0, over = false; !over; ) {
    // An engine may read within one turn of the event loop, so concurrent writes need the next one.
    await setImmediate();
    const ending = isOver();
    const { items } = await read(stores, { ...query, after: place });
    seen.push(...items.map(({ number, event }) => `${number} ${event.id}`));
    place = items.at(-1)?.number ?? place;
    over = ending && items.length === 0;
  }
  return seen;
}

export const feedingClauses: StoreClauses<HistoryStores> = {
  "history-store/feed-order: the event of a change that was answered before another change began comes before the other's event; events of one role and of one change come in the order in which they were stored, not of their instants; every peer gives the same feed":
    withPeer(async (port, other, { peer }) => {
      const instants = [5, 9, 1, 9, 3];
      const alone = instants.map((at) => anEvent({ at: after(START, duration(at)) }));
      for (const [n, event] of alone.entries()) await record(n % 2 === 0 ? port : other, n, event);
      const ofOneChange = instants.map((at) => anEvent({ at: after(START, duration(at)) }));
      await record(other, 10, ...ofOneChange);
      const { role, event } = await publish(port, 1);
      const { value, version } = await loaded(other, role.id);
      const renamed = [eventFor(role), eventFor(role)] as const;
      await other.roles.save(value, version, renamed);
      const expired = eventFor(role, { type: 'pin.expired', at: role.expiresAt ?? START });
      await port.history.recordExpired([expired]);
      const late = anEvent({ at: START });
      await record(other, 11, late);
      const ids = [...alone, ...ofOneChange, event, ...renamed, expired, late].map(({ id }) => id);
      for (const stores of [port, other, await peer()]) {
        const { items, last } = await read(stores);
        expect(items.map((item) => item.event.id)).to.deep.equal(ids);
        expect(items.map(({ number }) => number)).to.deep.equal(ids.map((_, n) => n + 1));
        expect(last).to.deep.equal(placeOf(late, ids.length));
        expect(items.find(({ event: { id } }) => id === expired.id)?.event, 'every field').to.deep.equal(
          expired,
        );
      }
    }),
  'history-store/feed-once: readers that continue after the last number they were given get every event of many writers once and in one order; no event takes a number at or below one that was given':
    async (subject) => {
      const readers = [subject.port, await subject.peer(), await subject.peer()];
      const events = Array.from({ length: 90 }, (_, n) =>
        anEvent({ account: n % 3 === 0 ? ONE : ANOTHER, at: after(START, duration(n % 7)) }),
      );
      let isOver = false;
      const queries = [{ limit: 7 }, { limit: 100 }, { limit: 3, account: ONE }];
      const reading = readers.map((stores, n) => follow(stores, queries[n] ?? {}, () => isOver));
      for (let n = 0; n < events.length; n += 9) {
        await together(subject, 9, (stores, of) => record(stores, n + of, events[n + of] as HistoryEvent));
      }
      isOver = true;
      const [first, second, own] = await Promise.all(reading);
      const all = await follow(subject.port, {}, () => true);
      expect(first).to.deep.equal(all);
      expect(second).to.deep.equal(all);
      expect(own).to.deep.equal(await follow(subject.port, { account: ONE }, () => true));
      expect(all.map((seen) => seen.split(' ')[1])).to.have.members(events.map(({ id }) => id));
      expect(all.map((seen) => Number.parseInt(seen, 10))).to.deep.equal(events.map((_, n) => n + 1));
      expect(own).to.have.lengthOf(30);
    },
  "history-store/feed-accounts: the feed of an account has only its events, numbered without gaps; the feed of all accounts has every event; a role's part has only the role's events; no event follows the last":
    withPeer(async (port, other) => {
      const [pin, otherPin] = [aRoleId(1), aRoleId(2)];
      const own = [pin, null, pin, otherPin, pin].map((of) => anEvent({ account: ONE, pin: of }));
      const foreign = [otherPin, null].map((of) => anEvent({ account: ANOTHER, pin: of }));
      const all = [
        own[0],
        foreign[0],
        own[1],
        anEvent({ account: null }),
        own[2],
        own[3],
        foreign[1],
        own[4],
      ] as readonly HistoryEvent[];
      for (const [n, event] of all.entries()) await record(port, n, event);
      const part = async (query: Partial<FeedQuery>) => {
        const { items, last } = await read(other, query);
        return { items, last: last.number };
      };
      expect(await part({})).to.deep.equal({ items: numbered(all), last: 8 });
      expect(await part({ account: ONE })).to.deep.equal({ items: numbered(own), last: 5 });
      expect(await part({ account: ANOTHER })).to.deep.equal({ items: numbered(foreign), last: 2 });
      expect(await part({ account: accountId('ONE') })).to.deep.equal({ items: [], last: 0 });
      expect(await part({ after: 3, limit: 2 })).to.deep.equal({
        items: numbered(all.slice(3, 5), 4),
        last: 8,
      });
      expect(await part({ account: ONE, after: 4 })).to.deep.equal({
        items: numbered(own.slice(4), 5),
        last: 5,
      });
      expect(await part({ after: 8 }), 'after the last').to.deep.equal({ items: [], last: 8 });
      expect(await part({ after: 99 }), 'far after the last').to.deep.equal({ items: [], last: 8 });
      const ofPin = numbered(own).filter(({ event }) => event.pin === pin);
      expect(await part({ account: ONE, pin })).to.deep.equal({ items: ofPin, last: 5 });
      expect(await part({ account: ONE, pin, after: 1, limit: 1 })).to.deep.equal({
        items: [ofPin[1]],
        last: 5,
      });
      expect(await part({ account: ANOTHER, pin })).to.deep.equal({ items: [], last: 2 });
      const everywhere = numbered(all).filter(({ event }) => event.pin === otherPin);
      expect(await part({ pin: otherPin })).to.deep.equal({ items: everywhere, last: 8 });
    }),
  "history-store/feed-begin: dropping events, even unread ones, moves the beginning of their account's feed and of all accounts' feed to the last dropped event; the feed has no events before it, and numbers are not used again":
    withPeer(async (port, other) => {
      const recorded = [1, 5, 1, 5, 5];
      const make = (account: AccountId, at: number, pin = aRoleId(1)) =>
        anEvent({ account, pin, at: after(START, duration(9 - at)), recordedAt: after(START, duration(at)) });
      const events = recorded.map((at, n) => make(n === 1 ? ANOTHER : ONE, at));
      for (const [n, event] of events.entries()) await record(port, n, event);
      expect(await other.history.drop(after(START, duration(5)), 10)).to.equal(2);
      const all = await read(port);
      expect(all.begin, 'of all').to.deep.equal(placeOf(events[2], 3));
      expect(all.items).to.deep.equal(numbered(events.slice(3), 4));
      expect((await read(port, { account: ONE })).begin, 'of one').to.deep.equal(placeOf(events[2], 2));
      expect((await read(port, { account: ONE })).items).to.deep.equal(numbered(events.slice(3), 3));
      const foreign = await read(other, { account: ANOTHER });
      expect(foreign.begin, 'of another').to.deep.equal(BEGINNING);
      expect(foreign.items).to.deep.equal(numbered([events[1] as HistoryEvent]));
      const trimming = { since: START, until: HOUR, keep: 1, limit: 10 };
      expect(await port.history.trimEvents(trimming)).to.equal(2);
      const trimmed = await read(other, { account: ONE });
      expect(trimmed.begin.number, 'trimmed').to.equal(trimmed.items.length === 0 ? 4 : 3);
      await port.history.drop(HOUR, 10);
      for (const [account, number] of [
        [undefined, 5],
        [ONE, 4],
        [ANOTHER, 1],
      ] as const) {
        const { begin, last, items } = await read(other, { account });
        expect(begin.number, `of ${account ?? 'all'}, when none is left`).to.equal(number);
        expect(last, 'the newest').to.deep.equal(begin);
        expect(items).to.deep.equal([]);
      }
      const late = make(ANOTHER, 9);
      await record(other, 20, late);
      const page = await read(port, { after: 1 });
      expect(page.items).to.deep.equal(numbered([late], 6));
      expect(page.last).to.deep.equal(placeOf(late, 6));
      expect((await read(port, { account: ANOTHER })).items).to.deep.equal(numbered([late], 2));
    }),
  'history-store/feed-there: the event whose number is `after` is returned if the feed has it': withPeer(
    async (port, other) => {
      const events = [ONE, ANOTHER, ONE].map((account, n) =>
        anEvent({ account, recordedAt: after(START, duration(n)) }),
      );
      for (const [n, event] of events.entries()) await record(port, n, event);
      const eventAt = async (number: number, account?: AccountId) =>
        (await read(other, { account, after: number, pin: aRoleId(9), limit: 1 })).cursorEvent;
      const ids = events.map(({ id }) => id);
      expect([await eventAt(1), await eventAt(2), await eventAt(3)]).to.deep.equal(ids);
      expect([await eventAt(1, ONE), await eventAt(2, ONE)]).to.deep.equal([ids[0], ids[2]]);
      expect([await eventAt(0), await eventAt(4), await eventAt(3, ONE)]).to.deep.equal([
        undefined,
        undefined,
        undefined,
      ]);
      await port.history.drop(after(START, duration(2)), 10);
      expect([await eventAt(1), await eventAt(2), await eventAt(3)]).to.deep.equal([
        undefined,
        undefined,
        ids[2],
      ]);
    },
  ),
  'history-store/feed-id: peers return the same id of the feed, and another database another one': async (
    { port, peer },
    another,
  ) => {
    const { feed } = await read(port);
    expect(feed).to.match(/^[0-9a-f]{32}$/);
    await record(port, 1, anEvent());
    expect((await read(await peer(), { account: ONE })).feed).to.equal(feed);
    expect((await read((await another()).port)).feed).to.not.equal(feed);
  },
};
