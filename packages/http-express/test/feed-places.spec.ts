import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { duration } from '@pinfold/core';
import { anEvent } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { openAdministered } from './administered.ts';
import { until } from './client.ts';
import type { Rig } from './rig.ts';

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
