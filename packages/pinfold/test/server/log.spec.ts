import type { IncomingMessage } from 'node:http';
import { type AccountId, Fault, type RoleId } from '@pinfold/core';
import type { RequestEntry } from '@pinfold/http';
import { socketAddress } from '@pinfold/http/internal';
import { collectGarbage } from '@pinfold/test-contracts/internal';
import { expect } from 'chai';
import { pino } from 'pino';
import { createRequestLog, openLog } from '../../src/server/log.ts';
import { callApi, list, publishPin, send } from '../servers/api-calls.ts';
import { type Served, serve } from '../servers/served.ts';

const password = 'a secret passphrase';

interface Line {
  readonly msg: string;
  readonly method: string;
  readonly route: string;
  readonly role: string | null;
  readonly status: number;
  readonly ms: number;
  readonly request: string;
}

describe('the log', () => {
  for (const mode of ['origin', 'path']) {
    it(`has one line per request and no secrets, in ${mode} mode`, async () => {
      const written: string[] = [];
      const env = { PINFOLD_VIEWER_MODE: mode, PINFOLD_LOG_LEVEL: 'trace', PINFOLD_WELCOME: '' };
      const server = await serve(env, { log: (line) => written.push(line) });
      const { secrets, sent } = await useEverything(server);
      await server.close();
      for (const secret of secrets) expect(written.join('')).not.to.include(secret);
      const requests = written.map((line): Line => JSON.parse(line)).filter(({ msg }) => msg === 'request');
      expect(requests).to.have.length(sent);
      for (const line of requests) {
        expect(Object.keys(line)).to.include.members(['method', 'route', 'role', 'status', 'ms', 'request']);
        expect(line.request).to.match(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
        expect(line.route).not.to.match(/[?~]/);
      }
    });
  }

  it('has the route, the caller, the size and the outcome of each request', async () => {
    const written: string[] = [];
    const env = { PINFOLD_NODE: 'node-1', PINFOLD_LOG_ADDRESSES: 'on' };
    const server = await serve(env, { log: (line) => written.push(line) });
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const headers = { authorization: `Bearer ${server.key}`, traceparent };
    await fetch(`${server.url}/api/v1/pins`, { headers });
    await fetch(`${server.url}/api/v1/pins/nothing`, { headers: { ...headers, traceparent: 'wrong' } });
    await fetch(`${server.url}/s/nothing`);
    await server.close();
    const lines = written.map((line) => JSON.parse(line));
    const [listed, missing, viewed] = lines.filter(({ msg }) => msg === 'request');
    const [, keyId] = server.key.split('_');
    expect(listed).to.deep.include({
      node: 'node-1',
      method: 'GET',
      route: '/api/v1/pins',
      status: 200,
      role: null,
      account: 'default',
      key: keyId,
      outcome: 'ok',
      trace: '4bf92f3577b34da6a3ce929d0e0e4736',
      client: '127.0.0.1',
    });
    expect(listed.version).to.match(/^\d+\.\d+\.\d+/);
    expect(listed.bytes).to.be.greaterThan(20);
    expect(Date.parse(listed.time)).to.be.greaterThan(0);
    expect(missing).to.deep.include({ status: 404, outcome: 'not_found' }).and.not.have.property('trace');
    expect(viewed).to.deep.include({ route: 'shared_url', account: null, key: null, outcome: 'not_found' });
    expect(lines.map(({ msg }) => msg)).to.include.members(['stopped']);
    expect(lines.some(({ msg }) => String(msg).startsWith('listening on'))).to.equal(true);
  });

  it('has no client addresses by default, and the configured share of successful views', async () => {
    const written: string[] = [];
    const server = await serve({ PINFOLD_LOG_VIEWS: '0.25' }, { log: (line) => written.push(line) });
    const pin = await publishPin(server.url, server.key, 'seen');
    const host = { host: `${pin.id}.localhost:${server.port}` };
    for (let n = 0; n < 8; n += 1) await send(`http://127.0.0.1:${server.port}`, '/', host);
    await send(`http://127.0.0.1:${server.port}`, '/missing', host);
    await server.close();
    const views = written.map((line) => JSON.parse(line)).filter(({ route }) => route === 'site');
    expect(views.map(({ status }) => status)).to.deep.equal([200, 200, 404]);
    expect(written.join('')).not.to.include('127.0.0.1"');
  });

  const viewed: RequestEntry = {
    requestId: '0c5a1f6e-2b1d-4c64-9c0e-2f9d3c5b7a11',
    method: 'GET',
    route: 'site',
    role: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff' as RoleId,
    status: 200,
    milliseconds: 1.26,
  };

  it('has a line for a probe only if it fails', () => {
    const logged: string[] = [];
    const log = { request: ({ route, status }: RequestEntry) => void logged.push(`${route} ${status}`) };
    const logRequest = createRequestLog(log, { logAddresses: false, logViews: 1 }, socketAddress);
    for (const route of ['/livez', '/readyz', '/healthz', 'pins'])
      for (const status of [200, 503])
        logRequest({ method: 'GET', route, role: null, status, milliseconds: 1, requestId: 'x' }, {
          headers: {},
          socket: {},
        } as IncomingMessage);
    expect(logged).to.deep.equal(['/livez 503', '/readyz 503', '/healthz 503', 'pins 200', 'pins 503']);
  });

  it('counts no bytes of a connection without counters', () => {
    const loggedBytes: number[] = [];
    const log = {
      request: (_entry: RequestEntry, { bytes }: { readonly bytes: number }) => void loggedBytes.push(bytes),
    };
    const logRequest = createRequestLog(log, { logAddresses: false, logViews: 1 }, socketAddress);
    logRequest(viewed, { headers: {}, socket: {} } as IncomingMessage);
    expect(loggedBytes).to.deep.equal([0]);
  });

  it('does not retain an error after its line is written', async () => {
    const log = openLog('info', () => {});
    const logError = (): WeakRef<Error> => {
      const error = new Error('no');
      log.request({ ...viewed, outcome: 'internal_error', error }, { bytes: 1 });
      return new WeakRef(error);
    };
    const reference = logError();
    await collectGarbage();
    expect(reference.deref()).to.equal(undefined);
  });

  it('formats the line of a request like pino, at the error level if it failed', () => {
    const odd = '"\\\u0000\n\u007f\u{2028}\u{1F600}\ud800 é' as AccountId;
    const lines: string[] = [];
    const log = openLog('info', (line) => lines.push(line), { names: { node: 'a "node"', version: '1' } });
    log.request({ ...viewed, account: odd, key: 'k1', status: 404 }, { bytes: 7 });
    const traits = { bytes: 1_234, trace: '4bf92f3577b34da6a3ce929d0e0e4736', client: '::1' };
    log.request(
      { ...viewed, method: odd, outcome: 'not_found', role: null, error: new TypeError('no') },
      traits,
    );
    const [refused, broken] = lines.map((line) => JSON.parse(line));
    const { requestId: request, milliseconds: _, method, route, role } = viewed;
    const base = { node: 'a "node"', version: '1' };
    const timestamp = () => `,"time":"${refused.time}"`;
    pino({ base, timestamp }, { write: (line) => lines.push(line) }).info(
      {
        ...{ method, route, status: 404, role, account: odd, key: 'k1', outcome: 'refused' },
        ...{ bytes: 7, ms: 1.3, request },
      },
      'request',
    );
    expect(Object.entries(refused)).to.deep.equal(Object.entries(JSON.parse(lines[2] ?? '')));
    expect(Date.parse(refused.time)).to.be.greaterThan(0);
    expect(broken).to.include({ level: 50, method: odd, outcome: 'not_found', role: null, ...traits });
    expect(broken.error).to.include({ name: 'TypeError', message: 'no' });
  });

  it('has short lines for people in text format, without control characters', () => {
    const lines: string[] = [];
    const names = { node: 'n', version: '1' };
    const log = openLog('info', (line) => lines.push(line), { names, format: 'text' });
    log.request({ ...viewed, status: 410, outcome: 'expired' }, { bytes: 3 });
    log.info('listening', { url: 'http://\u001b[31mhost' });
    log.error('broken', new Error('no \u009b room'));
    expect(lines[0]).to.match(/^[\d:]{8} GET site 6f9619ff-8b86-4d01-b42d-00cf4fc964ff 410 expired 1 ms\n$/);
    expect(lines[1]).to.match(/^[\d:]{8} listening url=http:\/\/\ufffd\[31mhost\n$/);
    expect(lines[2]).to.match(/^[\d:]{8} error: broken\n {2}Error: no \ufffd room\n/);
  });

  it('shortens lines of errors so that a shared pipe takes them whole, and drops the innermost stacks first', () => {
    const lines: string[] = [];
    const log = openLog('info', (line) => lines.push(line), { shared: true });
    const nested = (depth: number, message: string): Error => {
      const error = new Error(message, depth === 0 ? {} : { cause: nested(depth - 1, message) });
      error.stack = `Error: ${message}\n${'    at a frame (of-a-long-path.ts:1:2)\n'.repeat(20)}`;
      return error;
    };
    log.error('broken', nested(5, 'a failure'));
    const traits = { bytes: 1 };
    log.request(
      { ...viewed, outcome: 'internal_error', error: nested(5, '\u{1F600}'.repeat(2_000)) },
      traits,
    );
    for (const line of lines) expect(Buffer.byteLength(line)).to.be.within(1_000, 4_096);
    const [{ error }, request] = lines.map((line) => JSON.parse(line));
    expect([error.stack.length > 700, error.cause.cause.cause.cause.cause]).to.deep.equal([
      true,
      { name: 'Error', message: 'a failure' },
    ]);
    expect(request).to.include({ route: 'site', outcome: 'internal_error' });
  });

  it('describes an error with its causes, without its other members', () => {
    const written: string[] = [];
    const log = openLog('info', (line) => written.push(line));
    const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', password });
    log.error('broken', new Fault('store_unavailable', 'the database is away', { cause }));
    log.error('thrown', { password });
    expect(written.join('')).not.to.include(password);
    const { error } = JSON.parse(written[0] ?? '');
    expect(error).to.deep.include({ name: 'Fault', code: 'store_unavailable' });
    expect(error.cause).to.deep.include({ code: 'ECONNREFUSED' });
  });
});

/** Sends requests with all kinds of secrets; returns the secrets and the number of requests. */
async function useEverything({
  addresses,
  port,
  key,
}: Served): Promise<{ readonly secrets: readonly string[]; readonly sent: number }> {
  const url = `http://127.0.0.1:${port}`;
  const pin = await publishPin(url, key, 'idempotency secret');
  const patched = await callApi(url, key, 'PATCH', `/api/v1/pins/${pin.id}`, { password });
  expect(patched.status).to.equal(200);
  await patched.text();
  const host = new URL(addresses.publicUrl).host;
  const from = { host, referer: `http://${host}/?referer-secret`, cookie: 'session=cookie-secret' };
  const shared = `/s/${pin.id}`;
  await send(url, `${shared}?to=%2Fquery-secret`, from);
  await send(url, shared, from, 'password=wrong-secret');
  const entered = await send(
    url,
    `${shared}?to=%2Fquery-secret`,
    from,
    `password=${encodeURIComponent(password)}`,
  );
  expect(entered.status).to.equal(303);
  const location = new URL(String(entered.headers.location));
  const cookies = [entered.headers['set-cookie'] ?? []].flat().map((cookie) => cookie.split(';', 1)[0] ?? '');
  const viewer = { ...from, host: location.host, cookie: cookies.join('; '), accept: 'text/html' };
  await send(url, location.pathname + location.search, viewer);
  await send(url, '/unknown-secret?query-secret', from);
  await send(url, '/healthz?query-secret', from);
  await list(url, key);
  const grants = cookies.map((cookie) => cookie.slice(cookie.indexOf('=') + 1));
  const [grantInPath = 'no grant'] = /[\w.-]{60,}/.exec(location.href) ?? [];
  const secrets = [
    key.slice(-43),
    password,
    encodeURIComponent(password),
    'wrong-secret',
    'cookie-secret',
    'query-secret',
    'referer-secret',
    'unknown-secret',
    'idempotency secret',
    ...grants,
    grantInPath,
  ];
  expect(grants).not.to.deep.equal([]);
  // Successful probes are not logged.
  return { secrets, sent: 8 };
}
