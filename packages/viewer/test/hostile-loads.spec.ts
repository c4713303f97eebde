import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { RoleId } from '@pinfold/core';
import { MAX_READ } from '@pinfold/core/adapter';
import { outgoingBytes } from '@pinfold/http/internal';
import { expect } from 'chai';
import type { Answer } from './client.ts';
import { openRig, type Rig, type RigOptions } from './rig.ts';

/** A rig whose archives may be large enough for bodies that kernels do not buffer completely. */
const openLarge = (viewer: RigOptions['viewer'] = {}): Promise<Rig> =>
  openRig({ viewer, limits: { archiveBytes: 32 * MAX_READ } });

/** A connection that reads nothing until the test wants it. */
async function openClient(rig: Rig): Promise<Socket> {
  const socket = connect(rig.port, '127.0.0.1').on('error', () => {});
  socket.pause();
  await once(socket, 'connect');
  return socket;
}

const get = (rig: Rig, id: RoleId, path: string, range?: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: ${rig.siteHost(id)}\r\n${range === undefined ? '' : `Range: ${range}\r\n`}\r\n`;

async function until(condition: () => boolean): Promise<void> {
  for (let polls = 0; !condition(); polls += 1) {
    if (polls === 40_000) throw new Error('the condition never became true');
    await setTimeout(1);
  }
}

/** Waits until the number has not changed for a while. */
async function settled(count: () => number): Promise<number> {
  for (let before = -1; before !== count(); await setTimeout(50)) before = count();
  return count();
}

describe('under hostile loads', () => {
  let rig: Rig;

  it('many requests of one connection are handled one at a time', async () => {
    rig = await openLarge();
    const files = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`${index}.txt`, `${index}`]));
    const id = await rig.publish({ 'index.html': 'x', ...files });
    const { promise, resolve } = Promise.withResolvers<void>();
    rig.storage.before = () => promise;
    const client = await openClient(rig);
    client.write(
      Object.keys(files)
        .map((name) => get(rig, id, `/${name}`))
        .join(''),
    );
    await until(() => rig.storage.reads.length > 0);
    for (let turn = 0; turn < 20; turn += 1) await rig.ask('/turn');
    expect(rig.storage.reads).to.have.length(1);
    let text = '';
    client.on('data', (chunk) => {
      text += chunk;
    });
    client.resume();
    resolve();
    await until(() => text.split('200 OK').length === 21);
    expect(text.match(/\r\n\r\n\d+/g)?.map(Number)).to.deep.equal(Array.from({ length: 20 }, (_, at) => at));
    client.destroy();
  });

  it('the end of a long file is inflated once for many requests', async () => {
    rig = await openLarge();
    const id = await rig.publish({ 'index.html': 'x', 'zeros.bin': new Uint8Array(8 * MAX_READ) });
    const clients = await Promise.all(Array.from({ length: 4 }, () => openClient(rig)));
    const perClient = 100;
    const request = get(rig, id, '/zeros.bin', `bytes=${8 * MAX_READ - 1}-`);
    let parts = 0;
    for (const client of clients) {
      client.on('data', (chunk) => {
        parts += String(chunk).split('206 Partial').length - 1;
      });
      client.resume();
      client.write(request.repeat(perClient));
    }
    await until(() => parts === clients.length * perClient);
    expect(rig.storage.reads).to.have.length(1);
    for (const client of clients) client.destroy();
  });

  it('nothing is inflated or read any more for clients who have reset their connections', async () => {
    rig = await openLarge({ cacheBytes: 0 });
    const id = await rig.publish({ 'index.html': 'x', 'noise.bin': randomBytes(4 * MAX_READ) });
    const clients = await Promise.all(Array.from({ length: 4 }, () => openClient(rig)));
    const perClient = 500;
    for (const client of clients) {
      client.write(get(rig, id, '/noise.bin', `bytes=${4 * MAX_READ - 1}-`).repeat(perClient));
    }
    await until(() => rig.storage.reads.length > 20);
    for (const client of clients) client.resetAndDestroy();
    const before = rig.storage.reads.length;
    const after = await settled(() => rig.storage.reads.length);
    // Five or six reads were in progress on each connection, whose first write then fails.
    expect(after - before).to.be.below(clients.length * 6 + 1);
    expect(after).to.be.below(clients.length * perClient);
  });

  it('as many files as allowed are inflated at once, and those beyond the queue are 503', async () => {
    rig = await openLarge({ bounds: { inflating: 1, inflatingQueue: 2 } });
    const files = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`${index}.txt`, `${index} `.repeat(200_000)]),
    );
    const id = await rig.publish({ 'index.html': 'x', ...files });
    const { promise, resolve } = Promise.withResolvers<void>();
    rig.storage.before = () => promise;
    const answers = Object.keys(files).map((name) => rig.askSite(id, `/${name}`));
    await until(() => rig.storage.reads.length === 30);
    resolve();
    const statuses = new Set<number>();
    for (const { status, headers } of await Promise.all(answers)) {
      statuses.add(status);
      if (status === 503) expect(headers['retry-after']).to.equal('2');
    }
    expect([...statuses].toSorted()).to.deep.equal([200, 503]);
    expect((await rig.askSite(id, '/29.txt')).status).to.equal(200);
    expect(rig.log.some(({ error }) => error !== undefined)).to.equal(false);
  });

  describe('with a long body that no client reads', () => {
    const { memory } = outgoingBytes;
    const LONG = randomBytes(10 * MAX_READ);
    let id: RoleId;
    let readers: Socket[] = [];
    /** Requests the body until so many bytes are unread that no further large answer may start. */
    beforeEach(async () => {
      outgoingBytes.memory = 8 * MAX_READ;
      rig = await openLarge();
      id = await rig.publish({ 'index.html': 'home', 'long.bin': { stored: LONG } });
      readers = [];
      while (outgoingBytes.bytes <= MAX_READ) {
        const client = await openClient(rig);
        client.write(get(rig, id, '/long.bin'));
        readers.push(client);
        await settled(() => outgoingBytes.bytes);
      }
    });
    afterEach(() => {
      outgoingBytes.memory = memory;
      for (const client of readers) client.destroy();
    });

    it('a further large answer is 503 for a second, and a small one is sent', async () => {
      const large = await rig.askSite(id, '/long.bin');
      expect([large.status, large.headers['retry-after']]).to.deep.equal([503, '1']);
      expect((await rig.askSite(id, '/')).text).to.equal('home');
      const part = await rig.askSite(id, '/long.bin', { headers: { range: 'bytes=5-70000' } });
      expect(part.status).to.equal(503);
      const first = await rig.askSite(id, '/long.bin', { headers: { range: 'bytes=0-65535' } });
      expect(first.body.equals(LONG.subarray(0, 65_536))).to.equal(true);
    });

    it('slow answers end for a new one, and an answer that is read continues', async () => {
      const [steady] = readers as [Socket];
      let received = 0;
      steady.on('data', (chunk) => {
        received += chunk.length;
      });
      let whole: Answer | undefined;
      for (let second = 1; whole?.status !== 200; second += 1) {
        const before = received;
        steady.resume();
        await until(() => received >= before + MAX_READ || received > LONG.length);
        steady.pause();
        outgoingBytes.tick();
        // Kernels may buffer more of an answer when memory is free; the answer becomes slow only after that.
        if (second >= 6) whole = await rig.askSite(id, '/long.bin');
      }
      expect(whole.body.equals(LONG)).to.equal(true);
      expect(rig.log.filter(({ gone }) => gone).length).to.be.greaterThan(0);
      steady.resume();
      await until(() => received > LONG.length);
    });
  });

  describe('with bodies that no client reads', () => {
    const COUNT = 24;
    const MAX_LOADED = 4 * MAX_READ;
    /** Compressed, but still large: kernels buffer megabytes for a connection. */
    const files = Object.fromEntries(
      Array.from({ length: COUNT }, (_, index) => [`${index}.bin`, { stored: randomBytes(MAX_READ) }]),
    );
    const { memory } = outgoingBytes;
    let id: RoleId;
    afterEach(() => {
      outgoingBytes.memory = memory;
    });
    beforeEach(async () => {
      outgoingBytes.memory = 16 * MAX_LOADED;
      rig = await openLarge();
      id = await rig.publish({ 'index.html': 'home', ...files });
    });

    it('those beyond the bound are read in small pieces, and all arrive whole once they are read', async () => {
      const clients = await Promise.all(Array.from({ length: COUNT }, () => openClient(rig)));
      const { promise, resolve } = Promise.withResolvers<void>();
      rig.storage.before = () => promise;
      for (const [index, client] of clients.entries()) client.write(get(rig, id, `/${index}.bin`));
      await until(() => rig.storage.reads.length === COUNT);
      expect(rig.storage.reads.filter(({ length }) => length > 65_536)).to.have.length(MAX_LOADED / MAX_READ);
      expect(outgoingBytes.bytes).to.be.within(MAX_LOADED, MAX_LOADED + COUNT * 65_536);
      resolve();
      const received = clients.map(async (client, index) => {
        const chunks: Buffer[] = [];
        client.on('data', (chunk) => chunks.push(chunk)).resume();
        await until(() => chunks.reduce((sum, { length }) => sum + length, 0) > MAX_READ);
        const bytes = Buffer.concat(chunks);
        const body = bytes.subarray(bytes.indexOf('\r\n\r\n') + 4);
        return body.equals(files[`${index}.bin`]?.stored ?? Buffer.of());
      });
      expect((await Promise.all(received)).every(Boolean)).to.equal(true);
      await until(() => outgoingBytes.bytes === 0);
      for (const client of clients) client.destroy();
    });

    it('they are no longer counted once their clients have left', async () => {
      const clients = await Promise.all(Array.from({ length: COUNT }, () => openClient(rig)));
      for (const [index, client] of clients.entries()) client.write(get(rig, id, `/${index}.bin`).repeat(10));
      await until(() => outgoingBytes.bytes > 0);
      for (const client of clients) client.resetAndDestroy();
      await until(() => outgoingBytes.bytes === 0);
    });
  });
});
