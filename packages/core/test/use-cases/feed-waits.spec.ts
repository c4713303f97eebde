import { getEventListeners } from 'node:events';
import {
  type AccountId,
  after,
  before,
  type Clock,
  duration,
  Fault,
  type FeedPart,
  type FeedQuery,
  type HistoryStore,
  hours,
  OPERATOR,
  seconds,
} from '@pinfold/core';
import { FeedError, type FeedItem, type FeedOutcome, type History } from '@pinfold/core/history';
import { aRoleId, rejectionOf, replacing } from '@pinfold/test-contracts/fixtures';
import { ofEachTest } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { ADA, BEN, idsOf, openFeed, pageOf } from './feed-stage.ts';

describe('Waiting for events', () => {
  const stage = ofEachTest(openFeed);

  afterEach(() => stage.stop.abort());

  const waiting = (more: object = {}): Promise<FeedOutcome> =>
    stage.history.feed({ by: ADA, after: 'latest', wait: seconds(30), ...more });

  /** A feed of a store whose answers the test changes. */
  const feedOver = (
    change: (part: FeedPart, query: FeedQuery) => FeedPart | Promise<FeedPart>,
  ): History['feed'] => {
    const feed: HistoryStore['feed'] = async (query) =>
      await change(await stage.memory.history.feed(query), query);
    return stage.open({ ...stage.memory, history: replacing(stage.memory.history, { feed }) }).feed;
  };

  it('ends with an event of a peer, or when the time is over', async () => {
    const begun = stage.clock.now();
    const page = waiting();
    const id = await stage.record(ADA);
    expect(idsOf(await stage.settle(page))).to.deep.equal([id]);
    expect(pageOf(await page).hasWaited).to.equal(true);
    expect(stage.clock.now() - begun).to.be.at.most(2_000);
    const ending = waiting({ wait: seconds(3.1) });
    await stage.settle(Promise.resolve());
    const from = stage.clock.now();
    const ended = pageOf(await stage.settle(ending, duration(100)));
    expect(ended).to.include({ isCrowded: false, hasWaited: true });
    expect(ended.items).to.deep.equal([]);
    expect(stage.clock.now() - from).to.equal(3_100);
    expect(idsOf(await waiting({ after: undefined })), 'at once').to.deep.equal([id]);
  });

  it('takes the same time even if the clock is set meanwhile', async () => {
    for (const shift of [after, before]) {
      let step = duration(0);
      const clock = replacing<Clock>(stage.clock, { now: () => shift(stage.clock.now(), step) });
      const page = stage
        .open({ ...stage.memory, clock })
        .feed({ by: ADA, after: 'latest', wait: seconds(3) });
      await stage.settle(Promise.resolve());
      step = hours(1);
      const from = stage.clock.now();
      expect(idsOf(await stage.settle(page, duration(100)))).to.deep.equal([]);
      expect(stage.clock.now() - from).to.equal(3_000);
    }
  });

  it('reads nothing once it has ended, and misses no event that comes while the next one reads', async () => {
    const turns = async () => {
      for (let n = 0; n < 8; n += 1) await stage.settle(Promise.resolve());
    };
    const { promise: held, resolve } = Promise.withResolvers<void>();
    const reads: unknown[] = [];
    const feed = feedOver(async (part, { account }) => {
      reads.push(account);
      // The second request waits already, and reads again.
      if (account === ADA && reads.filter((of) => of === ADA).length === 5) await held;
      return part;
    });
    const request = { by: ADA, after: 'latest', wait: seconds(30) };
    await stage.settle(feed({ ...request, wait: seconds(1) }));
    await turns();
    const before = [...reads];
    await turns();
    expect(reads).to.deep.equal(before);
    const page = feed(request);
    await stage.settle(Promise.resolve());
    const id = await stage.record(ADA);
    await turns();
    const from = stage.clock.now();
    resolve();
    expect(idsOf(await stage.settle(page))).to.deep.equal([id]);
    expect(stage.clock.now() - from).to.equal(250);
  });

  it('ends at the next read, even if a hundred events of others come first', async () => {
    const page = waiting();
    await stage.settle(Promise.resolve());
    for (let n = 0; n < 100; n += 1) await stage.record(BEN);
    const id = await stage.record(ADA);
    const from = stage.clock.now();
    expect(idsOf(await stage.settle(page, duration(500)))).to.deep.equal([id]);
    expect(stage.clock.now() - from).to.equal(500);
  });

  it('ends only with events of its account and publication', async () => {
    const pin = aRoleId(1);
    const [own, ofPin, all] = [waiting(), waiting({ pin }), waiting({ by: OPERATOR })];
    await stage.settle(Promise.resolve());
    const foreign = await stage.record(BEN);
    expect(idsOf(await stage.settle(all))).to.deep.equal([foreign]);
    const first = await stage.record(ADA);
    expect(idsOf(await stage.settle(own))).to.deep.equal([first]);
    const last = await stage.record(ADA, { pin });
    expect(idsOf(await stage.settle(ofPin))).to.deep.equal([last]);
  });

  it('is limited to four requests of an account and 1,024 in all; others get their page at once', async () => {
    // An iteration is not a request.
    for (let n = 0; n < 5; n += 1) void stage.history.follow({ by: ADA, after: 'latest' }).next();
    const own = Array.from({ length: 4 }, () => waiting());
    await stage.settle(Promise.resolve());
    expect(pageOf(await waiting())).to.include({ isCrowded: true, hasWaited: false });
    const others = Array.from({ length: 1_020 }, (_, n) => waiting({ by: `account ${Math.floor(n / 4)}` }));
    await stage.settle(Promise.resolve());
    expect(pageOf(await waiting({ by: 'one more' })).isCrowded).to.equal(true);
    await stage.record(ADA);
    await stage.settle(Promise.all(own));
    const again = waiting({ by: 'one more', wait: seconds(1) });
    expect(pageOf(await stage.settle(again)).isCrowded).to.equal(false);
    stage.stop.abort();
    for (const page of await Promise.all(others)) {
      expect(pageOf(page)).to.deep.include({ items: [], isCrowded: false, hasWaited: true });
    }
  });

  it('rejects with the reason of an abort, frees its place and leaves nothing behind', async () => {
    const leaving = new AbortController();
    const own = Array.from({ length: 4 }, () => rejectionOf(waiting({ signal: leaving.signal })));
    await stage.settle(Promise.resolve());
    leaving.abort(new Error('gone'));
    for (const error of await Promise.all(own)) expect(error).to.have.property('message', 'gone');
    expect(pageOf(await stage.settle(waiting({ wait: seconds(1) }))).isCrowded).to.equal(false);
    // The read of the feed that all waits share may still be paused.
    expect(getEventListeners(stage.stop.signal, 'abort')).to.have.length.at.most(1);
  });

  it('frees the place of an aborted request even if the store does not answer', async () => {
    const { promise: held, resolve } = Promise.withResolvers<void>();
    let reads = 0;
    const feed = feedOver(async (part, { limit }) => {
      if (limit === 1) reads += 1;
      if (limit === 1 && reads > 4) await held;
      return part;
    });
    const request = { by: ADA, after: 'latest', wait: seconds(30) };
    const leaving = new AbortController();
    // The first reader of a new database creates its feed, and would be later than the others.
    await feed({ by: ADA });
    const own = Array.from({ length: 4 }, () =>
      rejectionOf(feed({ ...request, limit: 1, signal: leaving.signal })),
    );
    await stage.settle(Promise.resolve());
    expect(pageOf(await feed(request)).isCrowded).to.equal(true);
    leaving.abort(new Error('gone'));
    for (const error of await Promise.all(own)) expect(error).to.have.property('message', 'gone');
    expect(pageOf(await stage.settle(feed({ ...request, wait: seconds(1) }))).isCrowded).to.equal(false);
    resolve();
  });

  it('ends with the present page when it is stopped, frees its place and leaves nothing behind', async () => {
    const stopping = new AbortController();
    const own = Array.from({ length: 4 }, () => waiting({ stopWaiting: stopping.signal }));
    await stage.settle(Promise.resolve());
    stopping.abort();
    const ended = [...(await Promise.all(own)), await waiting({ stopWaiting: stopping.signal })];
    for (const page of ended) {
      expect(pageOf(page)).to.deep.include({ items: [], isCrowded: false, hasWaited: true });
    }
    expect(pageOf(await stage.settle(waiting({ wait: seconds(1) }))).isCrowded).to.equal(false);
    for (const { signal } of [stopping, stage.stop]) {
      // The read of the feed that all waits share may still be paused.
      expect(getEventListeners(signal, 'abort')).to.have.length.at.most(1);
    }
  });

  it('ends with a page without events when the service stops', async () => {
    const page = waiting();
    await stage.settle(Promise.resolve());
    stage.stop.abort();
    expect(pageOf(await page).items).to.deep.equal([]);
    expect(pageOf(await waiting()).items).to.deep.equal([]);
  });

  it('is refused if its cursor expires meanwhile, or an older backup is restored', async () => {
    await stage.record(ADA);
    let isRestored = false;
    const feed = feedOver((part) =>
      isRestored ? { ...part, last: part.begin, cursorEvent: undefined, items: [] } : part,
    );
    const restored = feed({ by: ADA, after: 'latest', wait: seconds(30) });
    const page = waiting();
    await stage.settle(Promise.resolve());
    isRestored = true;
    expect(await stage.settle(restored)).to.have.all.keys('kind', 'code', 'oldest');
    await stage.record(ADA);
    await stage.memory.history.drop(after(stage.clock.now(), seconds(1)), 10);
    expect(await stage.settle(page)).to.include({ kind: 'refused', code: 'cursor_expired' });
  });

  it('rejects with the fault of a store that fails; the next one ends with an event again', async () => {
    let fault: Fault | undefined;
    const feed = feedOver((part) => {
      if (fault !== undefined) throw fault;
      return part;
    });
    const request = { by: ADA, after: 'latest', wait: seconds(30) };
    const failing = rejectionOf(feed(request));
    await stage.settle(Promise.resolve());
    fault = new Fault('store_unavailable', 'away');
    expect(await stage.settle(failing)).to.equal(fault);
    fault = undefined;
    const next = feed(request);
    await stage.settle(Promise.resolve());
    const id = await stage.record(ADA);
    expect(idsOf(await stage.settle(next))).to.deep.equal([id]);
  });
});

describe('Following the feed', () => {
  const stage = ofEachTest(openFeed);

  afterEach(() => stage.stop.abort());

  async function take(items: AsyncIterable<FeedItem>, count: number): Promise<readonly FeedItem[]> {
    const taken: FeedItem[] = [];
    for await (const item of items) if (taken.push(item) === count) break;
    return taken;
  }

  it('starts at a cursor, includes later events, and continues where it ended', async () => {
    const all = [];
    for (let n = 0; n < 120; n += 1) all.push(await stage.record(ADA));
    const first = await take(stage.history.follow({ by: ADA }), 110);
    const rest = take(stage.history.follow({ by: ADA, after: first.at(-1)?.cursor ?? '' }), 12);
    all.push(await stage.record(ADA), await stage.record(ADA));
    const items = [...first, ...(await stage.settle(rest, seconds(1)))];
    expect(items.map(({ event }) => event.id)).to.deep.equal(all);
  });

  it('reads a feed again only when there may be new events, and looks at all feeds twice a second', async () => {
    const reads: (AccountId | undefined)[] = [];
    const history = replacing(stage.memory.history, {
      feed: async (query) => {
        reads.push(query.account);
        // A reader that never paused would let no other code run.
        await new Promise((resolve) => setImmediate(resolve));
        return await stage.memory.history.feed(query);
      },
    });
    const items = stage.open({ ...stage.memory, history }).follow({ by: ADA, after: 'latest' });
    const followed = take(items, Number.POSITIVE_INFINITY);
    let own: string | undefined;
    for (let n = 0; n < 240; n += 1) {
      if (n === 60) own = await stage.record(ADA);
      if (n > 120) await stage.record(BEN);
      stage.clock.advance(duration(250));
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
    stage.stop.abort();
    expect((await followed).map(({ event }) => event.id)).to.deep.equal([own]);
    // Twice when each of two waits begins, once after the first read, and once for the event.
    expect(reads.filter((account) => account === ADA).length).to.be.at.most(7);
    expect(reads.length).to.be.within(110, 130);
  });

  it('ends when the service stops or the signal aborts; a refused cursor is an error', async () => {
    const leaving = new AbortController();
    const aborted = rejectionOf(take(stage.history.follow({ by: OPERATOR, signal: leaving.signal }), 1));
    const stopped = take(stage.history.follow({ by: OPERATOR }), 1);
    leaving.abort(new Error('gone'));
    expect(await aborted).to.have.property('message', 'gone');
    stage.stop.abort();
    expect(await stopped).to.deep.equal([]);
    const { history, record, memory } = openFeed();
    await record(ADA);
    const beginning = pageOf(await history.feed({ by: ADA, limit: 1 })).next;
    await record(ADA);
    await memory.history.drop(after(stage.clock.now(), seconds(1)), 10);
    const oldest = pageOf(await history.feed({ by: ADA })).next;
    for (const [cursor, refusal, message] of [
      ['x', { code: 'invalid_cursor' }, 'the cursor is not one of this feed'],
      [beginning, { code: 'cursor_expired', oldest }, 'the feed no longer has what follows the cursor'],
    ] as const) {
      const refused = await rejectionOf(take(history.follow({ by: ADA, after: cursor }), 1));
      expect(refused).to.be.an.instanceOf(FeedError).that.includes({ name: 'FeedError', message });
      expect((refused as FeedError).refusal).to.deep.equal({ kind: 'refused', ...refusal });
    }
  });
});
