import { rename } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Fault, instant, type Staging, seconds } from '@pinfold/core';
import { tokens } from '@pinfold/inversify';
import { createManualClock, type ManualClock } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import { ContainerModule } from 'inversify';
import { type PinJson, publish, publishPin, send, sendLines } from '../servers/api-calls.ts';
import { type Served, serve } from '../servers/served.ts';

const PROBES = ['/livez', '/readyz', '/healthz'] as const;
/** The headers that a proxy on this machine adds for an external client. */
const FROM_OUTSIDE = { 'x-forwarded-for': '203.0.113.9' };

describe('the probes of a server', () => {
  let server: Served;
  let clock: ManualClock;
  /** The error that prevents uploads, if any. */
  let staging: Fault | undefined;

  /** A staging whose disk is full if the test says so. */
  const testModule = new ContainerModule(({ rebind, onActivation }) => {
    rebind(tokens.clock).toDynamicValue(() => clock);
    onActivation(tokens.staging, (_context, original): Staging => {
      const unlessFull = async (): Promise<void> => {
        if (staging !== undefined) throw staging;
      };
      return {
        receive: async (body, limit, signal) => {
          await unlessFull();
          return original.receive(body, limit, signal);
        },
        check: async (signal) => {
          await unlessFull();
          await original.check(signal);
        },
        sweep: (before) => original.sweep(before),
        countAbandoned: (before) => original.countAbandoned(before),
      };
    });
  });

  beforeEach(async () => {
    staging = undefined;
    clock = createManualClock();
    await start();
  });

  afterEach(() => server.close());

  async function start(more: Readonly<Record<string, string>> = {}): Promise<void> {
    server = await serve(more, { modules: [testModule] });
    // A busy disk can make the first check slow, which is not a fault of the server.
    while (!(await (await get('/healthz')).text()).includes('"ok"')) clock.advance(seconds(5));
  }

  async function restart(more: Readonly<Record<string, string>>): Promise<void> {
    await server.close();
    await start(more);
  }

  const get = (path: string, headers: Readonly<Record<string, string>> = FROM_OUTSIDE): Promise<Response> =>
    fetch(server.url + path, { headers });
  const statusOf = async (path: string): Promise<number> => (await get(path)).status;

  /** The status of a site, over a separate connection. */
  async function viewSite({ id }: PinJson): Promise<number> {
    const headers = { host: `${id}.localhost:${server.port}`, connection: 'close' };
    return (await send(`http://127.0.0.1:${server.port}`, '/', headers)).status;
  }

  /** Runs the timer until a probe has the expected result. */
  async function waitUntil(path: string, isDone: (status: number, body: string) => boolean): Promise<string> {
    for (;;) {
      clock.advance(seconds(5));
      const answer = await get(path);
      const body = await answer.text();
      if (isDone(answer.status, body)) return body;
    }
  }

  for (const path of PROBES) {
    it(`answers 200 at ${path} if all is well, without a key, from any client, and uncached`, async () => {
      const answer = await get(path);
      expect(answer.status).to.equal(200);
      expect(await answer.json()).to.deep.equal({ status: 'ok' });
      expect(answer.headers.get('cache-control')).to.equal('no-store');
      const { status, headers } = await fetch(server.url + path, { method: 'POST' });
      expect([status, headers.get('allow')]).to.deep.equal([405, 'GET, HEAD']);
      expect((await fetch(server.url + path, { method: 'HEAD' })).status).to.equal(200);
    });
  }

  it('answers 503 at /readyz without the storage only if PINFOLD_READY_NEEDS includes it', async () => {
    await restart({ PINFOLD_READY_NEEDS: 'database,storage' });
    await rename(join(server.folder, 'data', 'archives'), join(server.folder, 'away'));
    const body = await waitUntil('/readyz', (status) => status === 503);
    expect(JSON.parse(body)).to.deep.equal({ status: 'unavailable' });
  });

  it('uses the needs in a request to /readyz instead of the setting, and is 400 for an invalid list', async () => {
    await rename(join(server.folder, 'data', 'archives'), join(server.folder, 'away'));
    staging = new Fault('staging_unavailable', 'the disk is full');
    await waitUntil('/healthz', (status) => status === 503);
    const values = ['none', 'clock', 'storage', 'staging', 'database,staging', 'database,%20storage'];
    const answers = await Promise.all(values.map((needs) => statusOf(`/readyz?needs=${needs}`)));
    expect(answers).to.deep.equal([200, 200, 503, 503, 503, 503]);
    for (const needs of ['', 'all', 'none,database', 'Database', 'none&needs=none']) {
      expect(await statusOf(`/readyz?needs=${needs}`), needs).to.equal(400);
    }
  });

  it('answers 503 at /readyz while the clock is wrong only if the request or the setting needs it', async () => {
    const setClock = async (by: number): Promise<void> => {
      const persistence = await server.app.container.getAsync(tokens.persistence);
      Object.assign(persistence, { check: async () => instant(clock.now() + by) });
    };
    await setClock(-61_000);
    expect(JSON.parse(await waitUntil('/healthz', (_, body) => body.includes('degraded')))).to.include({
      status: 'degraded',
    });
    expect([await statusOf('/readyz'), await statusOf('/readyz?needs=clock')]).to.deep.equal([200, 503]);
    await restart({ PINFOLD_READY_NEEDS: 'clock' });
    expect(await statusOf('/readyz')).to.equal(200);
    await setClock(61_000);
    await waitUntil('/readyz', (status) => status === 503);
    expect(await statusOf('/readyz?needs=database')).to.equal(200);
  });

  it('answers 200 at /readyz without the database if PINFOLD_READY_NEEDS is none', async () => {
    await restart({ PINFOLD_READY_NEEDS: 'none' });
    const persistence = await server.app.container.getAsync(tokens.persistence);
    const away = new Fault('store_unavailable', 'gone');
    Object.assign(persistence, { check: () => Promise.reject(away) });
    await waitUntil('/healthz', (status) => status === 503);
    expect([await statusOf('/readyz'), await statusOf('/readyz?needs=database')]).to.deep.equal([200, 503]);
  });

  it('names the parts to this machine and to trusted addresses', async () => {
    const parts = { status: 'ok', database: 'ok', storage: 'ok', staging: 'ok', clock: 0 };
    expect(await (await get('/healthz', {})).json()).to.deep.equal(parts);
    const fromInside = { 'x-forwarded-for': '10.1.2.3' };
    expect(await (await get('/healthz', fromInside)).json()).to.deep.equal({ status: 'ok' });
    await restart({ PINFOLD_TRUST_PROXY: '127.0.0.0/8,::1,10.0.0.0/8' });
    expect(await (await get('/healthz', fromInside)).json()).to.deep.equal(parts);
    expect(await (await get('/healthz')).json()).to.deep.equal({ status: 'ok' });
  });

  it('makes no calls of stores, however often it is requested', async () => {
    const calls: string[] = [];
    const persistence = await server.app.container.getAsync(tokens.persistence);
    const archives = await server.app.container.getAsync(tokens.archives);
    const count = (name: string) => async (): Promise<undefined> => void calls.push(name);
    Object.assign(persistence, { check: count('database') });
    Object.assign(archives, { check: count('storage'), list: count('a listing') });
    const answers = PROBES.flatMap((path) => Array.from({ length: 100 }, () => statusOf(path)));
    expect(new Set(await Promise.all(answers))).to.deep.equal(new Set([200]));
    expect(calls).to.deep.equal([]);
    await waitUntil('/healthz', () => calls.includes('storage'));
    expect(calls.filter((name) => name === 'storage')).to.have.length(1);
    expect(calls).not.to.include('a listing');
  });

  it('report degraded while the disk for uploads is full, which prevents publishing but not viewing', async () => {
    const pin = await publishPin(server.url, server.key, 'before');
    const cause = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    staging = new Fault('staging_unavailable', 'the disk is full', { cause });
    await waitUntil('/healthz', (status, body) => status === 200 && body.includes('degraded'));
    expect(await (await get('/healthz', {})).json()).to.include({ status: 'degraded', staging: 'full' });
    expect(await statusOf('/readyz')).to.equal(200);

    const refused = await sendLines(
      server.url,
      'POST /api/v1/pins HTTP/1.1',
      `Host: ${new URL(server.url).host}`,
      `Authorization: Bearer ${server.key}`,
      'Idempotency-Key: meanwhile',
      'Content-Type: multipart/form-data; boundary=edge',
      'Content-Length: 1000000',
      'Expect: 100-continue',
    );
    expect(refused.status, 'before the body is asked for').to.equal(503);
    expect(JSON.parse(refused.body)).to.include({ code: 'unavailable', retryable: true });
    expect(Number(refused.headers.get('retry-after'))).to.be.at.least(1);
    expect(await viewSite(pin)).to.equal(200);

    staging = undefined;
    await waitUntil('/healthz', (_, body) => body.includes('ok'));
    expect((await publish(server.url, server.key, 'meanwhile')).status).to.equal(201);
  });

  it('answers 503 at /readyz, and 200 at the others, from the moment the server begins to stop', async () => {
    await restart({ PINFOLD_DRAIN_SECONDS: '30' });
    const pin = await publishPin(server.url, server.key, 'seen');
    let drained = false;
    const draining = server.app.drain().then(() => {
      drained = true;
    });
    const answer = await get('/readyz');
    expect([answer.status, await answer.text()]).to.deep.equal([503, '{"status":"stopping"}']);
    expect([await statusOf('/livez'), await statusOf('/healthz')]).to.deep.equal([200, 200]);
    // Separate connections, because the server still accepts new ones.
    expect(await viewSite(pin)).to.equal(200);
    expect((await publish(server.url, server.key, 'while it drains')).status).to.equal(201);
    expect(drained).to.equal(false);
    clock.advance(seconds(30));
    await draining;
  });

  it('answers 503 at /readyz, and still 200 at the others, over connections that are open while the server closes', async () => {
    const sockets = ['/readyz', '/livez', '/healthz'].map((path) => {
      const socket = connect({ port: server.port, host: '127.0.0.1' });
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n`);
      return socket;
    });
    // A request over a separate connection: once it is answered, the three others have begun.
    await (await fetch(`${server.url}/`)).text();
    const closed = server.app.close();
    for (const socket of sockets) socket.write('\r\n');
    const [ready = '', live = '', health = ''] = await Promise.all(sockets.map((socket) => text(socket)));
    expect(ready).to.match(/^HTTP\/1\.1 503 /);
    expect(live).to.match(/^HTTP\/1\.1 200 /);
    expect(health).to.match(/^HTTP\/1\.1 200 /);
    await closed;
  });
});
