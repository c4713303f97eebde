import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { days, duration, after as later } from '@pinfold/core';
import { anEvent } from '@pinfold/test-contracts/fixtures';
import { ofEachTest } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { openAdministered } from './administered.ts';
import { type Answer, askAs, type Json, until } from './client.ts';
import { openRig, type Rig } from './rig.ts';

const FEED = '/api/v1/events?order=asc';

describe('GET /api/v1/events?order=asc', () => {
  const rig = ofEachTest(openRig);

  const get = (path: string, key = rig.keys.first): Promise<Answer> => askAs(rig, key, path);

  async function read(path: string, key?: string): Promise<Json> {
    const { status, json } = await get(path, key);
    expect(status, path).to.equal(200);
    return json;
  }

  /** Stores an event of the first account. */
  async function storeEvent(): Promise<string> {
    const event = anEvent({ account: 'first' as never });
    await rig.memory.sessions.refuse({ ...event, account: 'first' as never }, rig.clock.now());
    rig.clock.advance(duration(1));
    return event.id;
  }

  /** Advances the clock until the promise has settled. */
  async function whileTimePasses<Value>(waited: Promise<Value>): Promise<Value> {
    let isSettled = false;
    const settled = waited.finally(() => {
      isSettled = true;
    });
    while (!isSettled) {
      rig.clock.advance(duration(100));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    return await settled;
  }

  it('answers every event once, oldest first, and always a cursor to continue', async () => {
    const first = await read(`${FEED}&limit=1&include=cursors`);
    expect(first.events).to.have.lengthOf(1);
    expect(first.cursors).to.deep.equal([first.next_cursor]);
    const rest = await read(`${FEED}&after=${first.next_cursor}`);
    expect(rest).not.to.have.property('cursors');
    const { events } = (await get('/api/v1/events')).json;
    expect([...first.events, ...rest.events]).to.have.deep.members(events);
    const emptyPage = await read(`${FEED}&after=${rest.next_cursor}`);
    expect(emptyPage).to.deep.equal({ events: [], next_cursor: rest.next_cursor });
    expect(await read(`${FEED}&after=latest`)).to.deep.equal(emptyPage);
    const id = await storeEvent();
    const next = await read(`${FEED}&after=${emptyPage.next_cursor}&wait=30`, rig.keys.readOnly);
    expect(next.events.map((event) => event.id)).to.deep.equal([id]);
  });

  it('refuses parameters of the other order, and foreign cursors', async () => {
    const { next_cursor: own } = await read(FEED);
    const wrong = [
      ...[
        'after=latest',
        `after=${own}`,
        'wait=0',
        'wait=1',
        'include=cursors',
        'order=desc&wait=5',
        'order=desc&after=latest',
      ],
      ...[
        'order=asc&cursor=x',
        'order=asc&after=',
        'order=asc&after=x',
        `order=asc&after=${own}x`,
        `order=asc&after=a${own}`,
      ],
      ...[
        'order=asc&wait=31',
        'order=asc&wait=-1',
        'order=asc&wait=1.5',
        'order=asc&wait=',
        'order=asc&wait=1&wait=1',
      ],
      ...[
        'order=up',
        'order=asc&limit=0',
        'order=asc&limit=101',
        'order=asc&account=first',
        'order=asc&include=views',
      ],
    ];
    for (const query of wrong) {
      const answer = await get(`/api/v1/events?${query}`);
      expect(answer.status, query).to.equal(400);
      expect(answer.json.code, query).to.equal('invalid_request');
    }
    expect((await get(`${FEED}&after=${own}`, rig.keys.second)).status, 'of another account').to.equal(400);
  });

  it('reports an expired cursor, and the beginning of the feed', async () => {
    const { cursors = [] } = await read(`${FEED}&include=cursors`);
    const { next_cursor: end } = await read(`${FEED}&after=latest`);
    await rig.memory.history.drop(later(rig.clock.now(), days(1)), 100);
    const answer = await get(`${FEED}&after=${cursors[0]}`);
    const problem = answer.json;
    expect(answer.status).to.equal(410);
    expect(problem).to.deep.include({ code: 'cursor_expired', oldest_cursor: end });
    expect(await read(FEED)).to.deep.equal({ events: [], next_cursor: end });
    expect(await read(`${FEED}&after=${problem.oldest_cursor}`)).to.deep.equal({
      events: [],
      next_cursor: end,
    });
  });

  it('waits for an event, at most for the requested time', async () => {
    const { next_cursor: end } = await read(`${FEED}&after=latest`);
    const waiting = read(`${FEED}&after=${end}&wait=30`);
    const id = await storeEvent();
    expect((await whileTimePasses(waiting)).events.map((event) => event.id)).to.deep.equal([id]);
    const begun = rig.clock.now();
    expect((await whileTimePasses(read(`${FEED}&after=latest&wait=2`))).events).to.deep.equal([]);
    expect(rig.clock.now() - begun).to.be.at.least(2_000);
  });

  /** Resolves once the store has read a feed this many more times. */
  function untilRead(times: number): Promise<void> {
    const { history } = rig.memory;
    const { feed } = history;
    return new Promise((resolve) => {
      let remaining = times;
      const counting: typeof feed = async (query) => {
        const part = await feed(query);
        remaining -= 1;
        if (remaining === 0) resolve();
        return part;
      };
      Object.assign(history, { feed: counting });
    });
  }

  it('lets four requests of an account wait; a further one gets its page at once, and Retry-After', async () => {
    const waiting = Array.from({ length: 4 }, () => get(`${FEED}&after=latest&wait=30`));
    let answer = await whileTimePasses(get(`${FEED}&after=latest&wait=1`));
    while (answer.headers.get('retry-after') === null)
      answer = await whileTimePasses(get(`${FEED}&after=latest&wait=1`));
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('retry-after')).to.equal('5');
    expect(answer.json.events).to.deep.equal([]);
    for (const waited of waiting)
      expect((await whileTimePasses(waited)).headers.get('retry-after')).to.equal(null);
  });

  it('answers no event to a key that was revoked while it waited', async () => {
    const secondRead = untilRead(2);
    const waiting = get(`${FEED}&after=latest&wait=30`, rig.keys.readOnly);
    await secondRead;
    const id = rig.keys.readOnly.split('_')[1] as never;
    await rig.memory.apiKeys.revoke(id, rig.clock.now(), []);
    await storeEvent();
    expect((await whileTimePasses(waiting)).status).to.equal(401);
  });

  it('is the same for operators, over all accounts or one', async () => {
    const { askAsFirst, ask: administer } = await openAdministered();
    await administer('PATCH', '/service', { mode: 'read_only' });
    const { events, next_cursor } = (await administer('GET', '/events?order=asc&limit=100')).json;
    expect(events.at(-1)).to.include({ type: 'service.mode_changed', account: null });
    expect(new Set(events.map(({ account }) => account)).size).to.equal(4);
    const only = (await administer('GET', '/events?order=asc&account=first')).json;
    expect(new Set(only.events.map(({ account }) => account))).to.deep.equal(new Set(['first']));
    const asAccount = await askAsFirst(`${FEED}&after=${only.next_cursor}`);
    expect(asAccount.status, 'one feed, one cursor').to.equal(200);
    expect(
      (await administer('GET', `/events?order=asc&account=second&after=${only.next_cursor}`)).status,
    ).to.equal(400);
    expect((await administer('GET', `/events?order=asc&after=${next_cursor}`)).status).to.equal(200);
    expect((await administer('GET', `/events?after=${next_cursor}`)).status).to.equal(400);
  });
});

/** The number of requests that may wait at once. */
const PLACES = 4;

/** Ways in which a client disappears without closing its request properly. */
const disconnections: Readonly<Record<string, (socket: Socket) => void>> = {
  'closes its side': (socket) => socket.end(),
  'closes its connection': (socket) => socket.destroy(),
  'resets its connection': (socket) => socket.resetAndDestroy(),
};

/** Opens the API with a clock that stands still, and readers of a feed that use every place for waiting. */
async function openCrowded(path: string, { allowHalfOpen }: { readonly allowHalfOpen: boolean }) {
  const { rig, key } = await openAdministered();
  Object.assign(rig.server, { httpAllowHalfOpen: allowHalfOpen });
  const reads = countReads(rig);
  const authorization = `Bearer ${path.startsWith('/admin/') ? key : rig.keys.first}`;
  const ask = (socket: Socket, query: string): boolean =>
    socket.write(
      `GET ${path}?order=asc&after=latest&${query} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`,
    );
  let opened = 0;
  /** Opens a reader on a connection that already had an answer, and returns once the reader waits for events. */
  const openReader = async (): Promise<Socket> => {
    const socket = connect(rig.port, '127.0.0.1').on('error', () => undefined);
    ask(socket, 'wait=0');
    await once(socket, 'data');
    opened += 1;
    const limit = opened;
    ask(socket, `wait=30&limit=${limit}`);
    // It reads before it gets its place, and again afterwards.
    await until(() => (reads.get(limit) ?? 0) >= 2);
    return socket;
  };
  const readers: Socket[] = [];
  for (let n = 0; n < PLACES; n += 1) readers.push(await openReader());
  return { rig, readers, openReader };
}

/** Counts reads of the feed by their limit, which is different for each reader. */
function countReads({ memory: { history } }: Rig): ReadonlyMap<number, number> {
  const { feed } = history;
  const reads = new Map<number, number>();
  const counting: typeof feed = async (query) => {
    const part = await feed(query);
    reads.set(query.limit, (reads.get(query.limit) ?? 0) + 1);
    return part;
  };
  Object.assign(history, { feed: counting });
  return reads;
}

for (const path of ['/api/v1/events', '/admin/v1/events']) {
  describe(`A client that waits at ${path}`, () => {
    it('is answered at once when it closes its side, and frees its place', async () => {
      const { readers, openReader } = await openCrowded(path, { allowHalfOpen: true });
      for (const reader of readers) {
        reader.end();
        const answer = await text(reader);
        expect(answer).to.match(/^HTTP\/1\.1 200 /);
        expect(answer)
          .to.include('"events":[]')
          .and.not.match(/^retry-after:/im);
      }
      for (const _ of readers) await openReader();
    });

    for (const [how, disconnect] of Object.entries(disconnections)) {
      it(`frees its place at once when it ${how}, on a server without half-open connections`, async () => {
        const { rig, readers, openReader } = await openCrowded(path, { allowHalfOpen: false });
        rig.log.length = 0;
        for (const reader of readers) disconnect(reader);
        await until(() => rig.log.length === readers.length);
        const fifth = await openReader();
        const answered = once(fifth, 'data');
        const event = anEvent({ account: 'first' as never });
        await rig.memory.sessions.refuse({ ...event, account: 'first' as never }, rig.clock.now());
        const ticking = setInterval(() => rig.clock.advance(duration(100)), 1);
        const [answer] = await answered;
        clearInterval(ticking);
        expect(String(answer)).to.include(event.id);
      });
    }
  });
}
