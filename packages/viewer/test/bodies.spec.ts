import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { isFault, type RoleId } from '@pinfold/core';
import { MAX_READ } from '@pinfold/core/adapter';
import { outgoingBytes } from '@pinfold/http/internal';
import { expect } from 'chai';
import type { ViewerOptions, ViewerStatistics } from '../src/index.ts';
import { expectPage } from './expect-page.ts';
import { openRig, type Rig } from './rig.ts';

const PIECE = 65_536;

async function openCounted(
  viewer: Partial<ViewerOptions> = {},
): Promise<{ rig: Rig; statistics: ViewerStatistics }> {
  const statistics = Promise.withResolvers<ViewerStatistics>();
  const rig = await openRig({ viewer: { ...viewer, statistics: statistics.resolve } });
  return { rig, statistics: await statistics.promise };
}

/** A connection whose client sends a request and then reads nothing. */
async function askAndWait(rig: Rig, host: string, path: string) {
  const socket = connect(rig.port, '127.0.0.1');
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept-Encoding: gzip\r\n\r\n`);
  await once(socket, 'connect');
  return socket;
}

/** Waits until all pending work of the event loop is done. */
async function settle(rig: Rig, turns = 40): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await rig.ask('/turn');
}

describe('the bodies of files', () => {
  let rig: Rig;
  let statistics: ViewerStatistics;
  beforeEach(async () => {
    ({ rig, statistics } = await openCounted());
  });

  it('are read with one read, and from memory the next time', async () => {
    const large = { stored: new Uint8Array(2 * PIECE) };
    const id = await rig.publish({ 'index.html': 'home'.repeat(100), 'a.txt': 'a', 'large.bin': large });
    for (let time = 0; time < 3; time += 1) {
      expect((await rig.askSite(id, '/', { headers: { 'accept-encoding': 'gzip' } })).status).to.equal(200);
    }
    expect(rig.storage.reads).to.have.length(1);
    await rig.askSite(id, '/nothing');
    expect(rig.storage.reads).to.have.length(1);
    for (let time = 0; time < 3; time += 1) await rig.askSite(id, '/large.bin');
    expect(rig.storage.reads).to.have.length(2);
    expect(statistics.bodies).to.include({ hits: 4, misses: 2 });
    expect(statistics.sites).to.include({ hits: 6, misses: 1 });
    expect(statistics.inflations).to.include({ running: 0, waiting: 0 });
  });

  it('stay within the size of the cache', async () => {
    for (const [length, cacheBytes, cached, read] of [
      [1_000, 2_800, 2, 2],
      [1_000, 2_500, 1, 4],
      [9_000, 18_800, 2, 2],
      [9_000, 18_500, 1, 4],
    ] as const) {
      ({ rig, statistics } = await openCounted({ cacheBytes }));
      const id = await rig.publish({
        'index.html': 'x',
        'a.txt': { stored: 'a'.repeat(length) },
        'b.txt': { stored: 'b'.repeat(length) },
      });
      for (const path of ['/a.txt', '/b.txt', '/a.txt', '/b.txt']) {
        expect((await rig.askSite(id, path)).status).to.equal(200);
      }
      expect(rig.storage.reads, `${length} of ${cacheBytes}`).to.have.length(read);
      const minimum = cached * length;
      expect(statistics.bodies.bytes).to.be.within(minimum, minimum + cached * 400);
    }
  });

  it('are no longer read once their viewer has left', async () => {
    const id = await rig.publish({
      'index.html': 'x',
      'large.bin': { stored: new Uint8Array(2 * MAX_READ) },
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    rig.storage.before = () => promise;
    const socket = await askAndWait(rig, rig.siteHost(id), '/large.bin');
    await settle(rig, 10);
    expect(rig.storage.reads).to.have.length(1);
    socket.destroy();
    await settle(rig, 10);
    expect(rig.storage.reads[0]?.signal?.aborted).to.equal(true);
    resolve();
    await settle(rig, 10);
    expect(rig.storage.reads).to.have.length(1);
    expect(rig.log.find(({ status }) => status === 499)).to.include({ route: 'site', role: id, gone: true });
    expect(rig.log.some(({ error }) => error !== undefined)).to.equal(false);
  });

  describe('altered in the storage', () => {
    const LARGE = MAX_READ + 70_000;
    /** Two bytes that a deflate stream may consist of: an empty last block. */
    const EMPTY = Uint8Array.of(3, 0);
    let id: RoleId;

    beforeEach(async () => {
      id = await rig.publish({
        'index.html': 'home'.repeat(100),
        'small.txt': { stored: 'small' },
        'large.txt': { stored: 'large'.padEnd(LARGE, '.') },
        'deflated.bin': randomBytes(LARGE),
      });
    });

    it('cause an error rather than wrong bytes if a file is read whole, and hold nothing', async () => {
      rig.storage.alter = (bytes) => bytes.set([1], bytes.length - 1);
      expectPage(await rig.askSite(id, '/small.txt'), 500);
      expectPage(await rig.askSite(id, '/'), 500);
      rig.storage.alter = (bytes) => bytes.set(EMPTY);
      expectPage(await rig.askSite(id, '/'), 500);
      expectPage(await rig.askSite(id, '/', { headers: { range: 'bytes=0-9' } }), 500);
      expect(rig.log.every(({ error }) => isFault(error) && error.code === 'store_corrupt')).to.equal(true);
      expect(outgoingBytes.bytes).to.equal(0);
      rig.storage.alter = undefined;
      expect((await rig.askSite(id, '/')).text).to.equal('home'.repeat(100));
    });

    it('break off before the end if a file is read piece by piece', async () => {
      rig.storage.alter = (bytes) => bytes.set([1], bytes.length - 1);
      const failed = await rig.askSite(id, '/large.txt').catch((error: unknown) => error);
      expect(failed).to.include({ code: 'ECONNRESET' });
      expect(rig.log.at(-1)?.error).to.include({ code: 'store_corrupt' });
      rig.storage.alter = (bytes) => bytes.set(EMPTY);
      expectPage(await rig.askSite(id, '/deflated.bin'), 500);
      expectPage(await rig.askSite(id, '/deflated.bin', { headers: { range: 'bytes=0-9' } }), 500);
    });
  });

  it('break off, rather than end, when storage fails in the middle', async () => {
    const { storage } = rig;
    storage.before = () => {
      if (storage.reads.length > 1) throw new TypeError('the disk went away');
    };
    const id = await rig.publish({
      'index.html': 'x',
      'large.bin': { stored: new Uint8Array(3 * MAX_READ) },
    });
    const failed = await rig.askSite(id, '/large.bin').catch((error: unknown) => error);
    expect(failed).to.include({ code: 'ECONNRESET' });
    expect(rig.log.at(-1)?.error).to.be.instanceOf(TypeError);
  });
});

const GZIP = { 'accept-encoding': 'gzip' };
const stored = (length: number) => ({ stored: new Uint8Array(length) });
const FILES = {
  'index.html': 'home',
  'empty.txt': '',
  'max.bin': stored(MAX_READ),
  'larger.bin': stored(MAX_READ + 1),
  'max-deflated.txt': new Uint8Array(MAX_READ + 64),
  'larger-deflated.txt': new Uint8Array(MAX_READ + 65),
  'long-deflated.txt': new Uint8Array(4 * MAX_READ),
};

describe('the bytes read for a requested file', () => {
  let rig: Rig;
  let id: RoleId;
  const open = async (cacheBytes: number): Promise<void> => {
    rig = await openRig({ viewer: { cacheBytes } });
    id = await rig.publish(FILES);
  };
  beforeEach(() => open(64 * MAX_READ));
  afterEach(async () => {
    expect(rig.log.filter(({ error }) => error !== undefined)).to.deep.equal([]);
  });

  /** The number of reads for each of two equal requests. */
  async function timesRead(path: string, headers = {}, method = 'GET'): Promise<readonly number[]> {
    const times: number[] = [];
    for (let time = 0; time < 2; time += 1) {
      rig.storage.reads.length = 0;
      const answer = await rig.askSite(id, `/${path}`, { headers, method });
      expect(answer.status).to.be.oneOf([200, 206]);
      times.push(rig.storage.reads.length);
    }
    return times;
  }

  it('are cached up to 1 MiB compressed, and 64 bytes more as sent', async () => {
    expect(await timesRead('max.bin')).to.deep.equal([1, 0]);
    expect(await timesRead('larger.bin')).to.deep.equal([2, 2]);
    expect(await timesRead('max-deflated.txt')).to.deep.equal([1, 0]);
    expect(await timesRead('larger-deflated.txt')).to.deep.equal([1, 1]);
    expect(await timesRead('larger-deflated.txt', GZIP)).to.deep.equal([1, 0]);
  });

  it('are none for HEAD, or for an empty file', async () => {
    expect(await timesRead('max.bin', {}, 'HEAD')).to.deep.equal([0, 0]);
    expect(await timesRead('empty.txt')).to.deep.equal([0, 0]);
  });

  it('are the requested part of a stored file, and none of a cached one', async () => {
    const part = { range: 'bytes=10-19' };
    expect(await timesRead('max.bin', part)).to.deep.equal([1, 1]);
    expect(rig.storage.reads.map(({ length }) => length)).to.deep.equal([10]);
    await timesRead('max.bin');
    expect(await timesRead('max.bin', part)).to.deep.equal([0, 0]);
  });

  it('are the whole deflated file, cached if it is small or the part begins beyond 1 MiB', async () => {
    expect(await timesRead('max-deflated.txt', { range: 'bytes=1-2' })).to.deep.equal([1, 0]);
    expect(await timesRead('long-deflated.txt', { range: `bytes=${MAX_READ - 1}-` })).to.deep.equal([1, 1]);
    expect(await timesRead('long-deflated.txt', { range: `bytes=${MAX_READ}-` })).to.deep.equal([1, 0]);
  });

  it('are not cached if they take more than a quarter of the memory', async () => {
    const last = { range: `bytes=${4 * MAX_READ - 1}-` };
    for (const [cacheBytes, times] of [
      [16 * MAX_READ, [1, 0]],
      [16 * MAX_READ - 1, [1, 1]],
    ] as const) {
      await open(cacheBytes);
      expect(await timesRead('long-deflated.txt', last)).to.deep.equal(times);
    }
  });
});
