import { once } from 'node:events';
import { connect } from 'node:net';
import { type ArchiveStorage, MAX_READ } from '@pinfold/core';
import { expect } from 'chai';
import { openRig, type Rig } from './rig.ts';

/** A storage that counts, and waits when it is told to. */
interface Watched {
  readonly reads: { from: number; length: number; signal: AbortSignal | undefined }[];
  hold: Promise<void> | undefined;
}

async function openWatched(): Promise<{ rig: Rig; watched: Watched }> {
  const watched: Watched = { reads: [], hold: undefined };
  const rig = await openRig({
    ports: ({ archives }) => ({
      archives: {
        put: (...put: Parameters<ArchiveStorage['put']>) => archives.put(...put),
        read: async (id, from, length, signal) => {
          watched.reads.push({ from, length, signal });
          await watched.hold;
          return archives.read(id, from, length, signal);
        },
      } as ArchiveStorage,
    }),
  });
  return { rig, watched };
}

/** A connection whose client asks and then reads nothing. */
async function askAndWait(rig: Rig, host: string, path: string) {
  const socket = connect(rig.port, '127.0.0.1');
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept-Encoding: gzip\r\n\r\n`);
  await once(socket, 'connect');
  return socket;
}

/** Lets everything that can happen now happen. */
async function settle(rig: Rig, turns = 40): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await rig.ask('/turn');
}

describe('the bodies of files', () => {
  let rig: Rig;
  let watched: Watched;
  beforeEach(async () => {
    ({ rig, watched } = await openWatched());
  });
  afterEach(() => rig.close());

  it('are read with one read, and from memory the next time', async () => {
    const id = await rig.publish({ 'index.html': 'home'.repeat(100), 'a.txt': 'a' });
    for (let time = 0; time < 3; time += 1) {
      expect((await rig.askSite(id, '/', { headers: { 'accept-encoding': 'gzip' } })).status).to.equal(200);
    }
    expect(watched.reads).to.have.length(1);
    await rig.askSite(id, '/a', { method: 'HEAD' });
    await rig.askSite(id, '/nothing');
    expect(watched.reads).to.have.length(1);
  });

  it('are read once for all who ask at the same time', async () => {
    const id = await rig.publish({ 'index.html': 'home'.repeat(100) });
    const { promise, resolve } = Promise.withResolvers<void>();
    watched.hold = promise;
    const answers = Array.from({ length: 10 }, () => rig.askSite(id, '/'));
    await settle(rig);
    resolve();
    for (const answer of await Promise.all(answers)) expect(answer.text).to.equal('home'.repeat(100));
    expect(watched.reads).to.have.length(1);
  });

  it('are never served from memory once the publication was stopped', async () => {
    const id = await rig.publish({ 'index.html': 'home' });
    expect((await rig.askSite(id, '/')).status).to.equal(200);
    await rig.stop(id);
    expect((await rig.askSite(id, '/')).status).to.equal(404);
    expect(watched.reads).to.have.length(1);
  });

  it('stay within the memory they were given', async () => {
    await rig.close();
    rig = await openRig({ viewer: { cacheBytes: 3_000 } });
    const id = await rig.publish({
      'index.html': 'x',
      'a.txt': { stored: 'a'.repeat(2_000) },
      'b.txt': { stored: 'b'.repeat(2_000) },
    });
    for (const path of ['/a.txt', '/b.txt', '/a.txt', '/b.txt'])
      expect((await rig.askSite(id, path)).status).to.equal(200);
  });

  it('are given up when their viewer leaves while they are read', async () => {
    const id = await rig.publish({
      'index.html': 'x',
      'large.bin': { stored: new Uint8Array(2 * MAX_READ) },
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    watched.hold = promise;
    const socket = await askAndWait(rig, rig.siteHost(id), '/large.bin');
    await settle(rig, 10);
    expect(watched.reads).to.have.length(1);
    socket.destroy();
    await settle(rig, 10);
    expect(watched.reads[0]?.signal?.aborted).to.equal(true);
    resolve();
    await settle(rig, 10);
    expect(watched.reads).to.have.length(1);
    expect(rig.log.find(({ status }) => status === 499)).to.include({ route: 'site', role: id });
    expect(rig.log.some(({ error }) => error !== undefined)).to.equal(false);
  });

  it('break off, rather than end, when storage fails in the middle', async () => {
    await rig.close();
    let reads = 0;
    rig = await openRig({
      ports: ({ archives }) => ({
        archives: {
          put: (...put: Parameters<ArchiveStorage['put']>) => archives.put(...put),
          read: async (...read: Parameters<ArchiveStorage['read']>) => {
            reads += 1;
            if (reads > 1) throw new TypeError('the disk went away');
            return archives.read(...read);
          },
        } as ArchiveStorage,
      }),
    });
    const id = await rig.publish({
      'index.html': 'x',
      'large.bin': { stored: new Uint8Array(3 * MAX_READ) },
    });
    const failed = await rig.askSite(id, '/large.bin').catch((error: unknown) => error);
    expect(failed).to.include({ code: 'ECONNRESET' });
    expect(rig.log.at(-1)?.error).to.be.instanceOf(TypeError);
  });
});
