import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { type ArchiveStorage, accountId, type Caller, OPERATOR, seconds } from '@pinfold/core';
import { MAX_READ } from '@pinfold/core/adapter';
import { outgoingBytes } from '@pinfold/http/internal';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { restOf } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { zipSync } from 'fflate';
import { type Administered, openAdministered } from './administered.ts';
import { ask, publish, until } from './client.ts';
import { openRig, type Rig, type RigOptions } from './rig.ts';

const FIRST = accountId('first');

/** Far more than sockets of this machine buffer for a client that reads nothing. */
const MIBS = 24;
const LARGE = zipSync({ 'index.html': new Uint8Array(MIBS * MAX_READ) }, { level: 0, mtime: '2026-01-01' });
const LIMITS = {
  archiveBytes: 64 * MAX_READ,
  expandedBytes: 64 * MAX_READ,
  fileBytes: 64 * MAX_READ,
};

describe('GET /api/v1/pins/{id}/archive', () => {
  let rig: Rig;
  let id: string;
  /** The number of bytes that each read of an archive requested. */
  let reads: number[];
  /** Called before each read. */
  let beforeRead: () => Promise<void> | void;

  const countReads = ({ archives }: { readonly archives: ArchiveStorage }) => ({
    archives: replacing(archives, {
      read: async (archive, from, length, signal) => {
        reads.push(length);
        await beforeRead();
        return await archives.read(archive, from, length, signal);
      },
    }),
  });

  async function open(zip?: Uint8Array, options: RigOptions = {}): Promise<void> {
    reads = [];
    beforeRead = () => {};
    rig = await openRig({ limits: LIMITS, ports: countReads, ...options });
    const published = await publish(rig, 'key', undefined, zip);
    expect(published.status, published.text).to.equal(201);
    id = published.json.pin.id;
  }

  const pathOf = (pin = id) => `/api/v1/pins/${pin}/archive`;
  const stop = () => rig.useCases.stop({ by: 'first', id });

  /** Requests the ZIP, without reading it yet. */
  async function begin(key = rig.keys.first): Promise<IncomingMessage> {
    const headers = { authorization: `Bearer ${key}` };
    const outgoing = request(`${rig.baseUrl}${pathOf()}`, { headers, agent: false }).end();
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    return answer;
  }

  async function expectCut(answer: IncomingMessage): Promise<void> {
    const { bytes, isWhole } = await restOf(answer);
    expect(isWhole).to.equal(false);
    expect(bytes).to.be.lessThan(LARGE.length - MAX_READ);
  }

  it('is read piece by piece, and no further while the client reads nothing', async () => {
    await open(LARGE);
    const answer = await begin();
    await until(() => outgoingBytes.bytes > 0);
    for (let turns = 0; turns < 100; turns += 1) await new Promise(setImmediate);
    expect(Math.max(...reads)).to.be.at.most(MAX_READ);
    expect(reads.reduce((sum, length) => sum + length, 0)).to.be.lessThan(LARGE.length - MAX_READ);
    expect(await restOf(answer)).to.deep.equal({ bytes: LARGE.length, isWhole: true });
    await until(() => outgoingBytes.bytes === 0);
  });

  it('ends once the client has left, without reading more', async () => {
    await open(LARGE);
    (await begin()).destroy();
    await until(() => rig.log.some(({ route }) => route === '/api/v1/pins/{id}/archive'));
    const read = reads.length;
    for (let turns = 0; turns < 100; turns += 1) await new Promise(setImmediate);
    expect(reads).to.have.length(read);
    await until(() => outgoingBytes.bytes === 0);
  });

  it('is cut off within a MiB when its publication is stopped', async () => {
    await open(LARGE);
    const answer = await begin();
    await stop();
    await expectCut(answer);
    expect(rig.log.at(-1)).to.not.have.property('error');
  });

  it('is cut off within a MiB when its key is revoked, and continues for another key', async () => {
    await open(LARGE);
    const { key, text } = await rig.manageKeys.create({
      by: OPERATOR,
      account: FIRST,
      scopes: ['pins:write'],
    });
    const [revoked, other] = [await begin(text), await begin()];
    await rig.manageKeys.revoke({ by: OPERATOR, id: key.id });
    await expectCut(revoked);
    expect((await restOf(other)).isWhole).to.equal(true);
  });

  it('checks the caller and the state before each further MiB', async () => {
    let authentications = 0;
    const authenticate = async (): Promise<Caller> => {
      authentications += 1;
      return { account: FIRST, scopes: ['pins:read', 'pins:write'] };
    };
    await open(LARGE, { api: { authenticate } });
    authentications = 0;
    expect((await restOf(await begin())).isWhole).to.equal(true);
    expect(authentications).to.be.within(MIBS, MIBS + 2);
  });

  it('charges as much as a change, and one for HEAD', async () => {
    await open(undefined, { api: { requestRate: { count: 1_000, window: seconds(60) } } });
    const remainingRate = async (method: string): Promise<number> => {
      const answer = await ask(rig, pathOf(), { method });
      return Number(/"requests";r=(\d+)/.exec(String(answer.headers.get('ratelimit')))?.[1]);
    };
    const first = await remainingRate('HEAD');
    expect(
      [await remainingRate('GET'), await remainingRate('HEAD')].map((after) => first - after),
    ).to.deep.equal([10, 11]);
  });

  it('gives the reason if the ZIP cannot be downloaded', async () => {
    await open();
    await stop();
    const stopped = await ask(rig, pathOf());
    expect([stopped.status, stopped.json.code]).to.deep.equal([409, 'invalid_state']);
    expect(stopped.json.detail).to.include('can no longer be downloaded');
    expect(stopped.json.errors).to.deep.equal([{ rule: 'deleted', detail: stopped.json.detail }]);
    await open(undefined, { api: { openArchive: async () => ({ kind: 'refused', code: 'forbidden' }) } });
    const { status, json } = await ask(rig, pathOf());
    expect([status, json.code, json.title]).to.deep.equal([
      403,
      'forbidden',
      'This service decides who may look',
    ]);
    await open(undefined, { api: { openArchive: undefined } });
    expect((await ask(rig, pathOf())).status, 'without downloads').to.equal(404);
  });

  it('answers 503 if storage has lost the ZIP, even to HEAD, and cuts the body off if reading fails later', async () => {
    await open(LARGE, {
      ports: ({ archives }) => ({ archives: replacing(archives, { size: async () => undefined }) }),
    });
    for (const method of ['GET', 'HEAD']) expect((await ask(rig, pathOf(), { method })).status).to.equal(503);
    expect(rig.log.at(-1)?.error).to.include({ code: 'archive_missing' });
    await open(LARGE);
    beforeRead = () => {
      if (reads.length > 1) throw new Error('the disk is broken');
    };
    expect((await restOf(await begin())).isWhole).to.equal(false);
    await until(() => rig.log.at(-1)?.error !== undefined);
    expect(rig.log.at(-1)?.error).to.include({ message: 'the disk is broken' });
  });

  it('answers 503 with Retry-After: 1 while too many bytes of answers wait for slow clients', async () => {
    await open(zipSync({ 'index.html': new Uint8Array(100_000) }, { level: 0, mtime: '2026-01-01' }));
    const { memory } = outgoingBytes;
    outgoingBytes.memory = 0;
    outgoingBytes.countLoaded(1);
    try {
      const answer = await ask(rig, pathOf());
      expect([answer.status, answer.headers.get('retry-after')]).to.deep.equal([503, '1']);
      expect((await ask(rig, pathOf(), { method: 'HEAD' })).status).to.equal(200);
      expect((await ask(rig, pathOf(), { headers: { range: 'bytes=0-9' } })).status).to.equal(206);
    } finally {
      outgoingBytes.memory = memory;
      outgoingBytes.countLoaded(-1);
    }
  });

  it('is sent to a client that is still sending its body, and the connection closes', async () => {
    await open();
    const socket = connect(rig.port, '127.0.0.1');
    const head = `GET ${pathOf()} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${rig.keys.first}\r\nContent-Length: 9\r\n\r\n`;
    socket.write(`${head}body`);
    let text = '';
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
    });
    await until(() => text.includes('PK\u0005\u0006'));
    socket.write('s end');
    await once(socket, 'close');
    expect(text)
      .to.match(/^HTTP\/1\.1 200 OK\r\n/)
      .and.match(/\r\nConnection: close\r\n/i);
  });
});

describe('GET /admin/v1/pins/{id}/archive', () => {
  let admin: Administered;
  let id: string;
  beforeEach(async () => {
    admin = await openAdministered();
    id = (await publish(admin.rig)).json.pin.id;
  });

  const get = (headers: Record<string, string> = {}, method = 'GET') =>
    ask(admin.rig, `/admin/v1/pins/${id}/archive`, {
      method,
      headers: { authorization: `Bearer ${admin.key}`, ...headers },
    });
  const recordedReads = async () => {
    const { json } = await admin.ask('GET', '/events');
    return json.events.filter(({ type }) => type === 'pin.archive_read');
  };

  it('answers with bytes in any state, and records that once a minute', async () => {
    expect((await get()).status).to.equal(200);
    await admin.rig.useCases.stop({ by: 'first', id });
    expect((await get({ range: 'bytes=0-9' })).status).to.equal(206);
    const [event, ...more] = await recordedReads();
    expect(more).to.deep.equal([]);
    expect(event).to.deep.include({ account: 'first', pin: id }).and.nested.include({ 'actor.kind': 'key' });
    admin.rig.clock.advance(seconds(61));
    await get();
    expect(await recordedReads()).to.have.length(2);
    const own = (await admin.askAsFirst('/api/v1/events')).json.events.find(
      ({ type }) => type === 'pin.archive_read',
    );
    expect(own?.actor, 'to the account').to.deep.equal({ kind: 'operator', id: null });
  });

  it('records nothing if it sends no byte of the ZIP', async () => {
    const { headers } = await get({}, 'HEAD');
    const etag = String(headers.get('etag'));
    expect((await get({ 'if-none-match': etag })).status).to.equal(304);
    expect((await get({ range: 'bytes=99999-' })).status).to.equal(416);
    expect(await recordedReads()).to.deep.equal([]);
  });

  it('answers 409 once the archive was removed, and 404 to other callers and for unknown ids', async () => {
    const taken = await admin.ask('POST', `/pins/${id}/takedown`, { reason: 'x', purge: true });
    expect(taken.status).to.equal(200);
    const { status, json } = await get();
    expect([status, json.code, json.errors]).to.deep.equal([
      409,
      'invalid_state',
      [{ rule: 'archive_removed', detail: json.detail }],
    ]);
    expect((await get({ authorization: `Bearer ${admin.rig.keys.first}` })).status).to.equal(404);
    id = '00000000-0000-4000-8000-000000000000';
    expect((await get()).status).to.equal(404);
    expect(await recordedReads()).to.deep.equal([]);
  });
});
