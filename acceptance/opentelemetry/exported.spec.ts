import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { accountId, Fault, OPERATOR, type RoleId } from '@pinfold/core';
import { observer, tokens } from '@pinfold/inversify';
import { createTelemetry, type TelemetryOptions } from '@pinfold/opentelemetry';
import { replacing } from '@pinfold/test-contracts/fixtures';
import { expect } from 'chai';
import express from 'express';
import { strToU8, zipSync } from 'fflate';
import { ContainerModule } from 'inversify';
import { openPinfold, type Pinfold } from 'pinfold';
import { startS3 } from 'pinfold-test-servers';
import { closed, listening } from 'pinfold-test-servers/service';
import { type ExportedSpan, registerSdk, type Sdk } from './sdk.ts';

const { SERVER, CLIENT, INTERNAL } = SpanKind;

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`;
const PASSWORD = 'harbour lights';

describe('The data for an exporter of OpenTelemetry', () => {
  let sdk: Sdk;
  let dataDir: string;
  let server: Server;
  let url: string;
  let pinfold: Pinfold;
  let key: string;
  let isDatabaseAway: boolean;
  /** Requests whose span has not ended. */
  let openRequests: number;

  before(() => {
    sdk = registerSdk();
  });
  after(() => sdk.close());

  async function open(options: TelemetryOptions = {}, storage?: string): Promise<void> {
    isDatabaseAway = false;
    openRequests = 0;
    const telemetry = createTelemetry({ database: 'sqlite', ...options });
    dataDir = await mkdtemp(join(tmpdir(), 'pinfold-otlp-'));
    server = await listening();
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const observed = new ContainerModule(({ bind, onActivation }) => {
      bind(observer).toConstantValue(telemetry.observer);
      onActivation(tokens.history, (_context, history) =>
        replacing(history, {
          list: (query) =>
            isDatabaseAway
              ? Promise.reject(new Fault('store_unavailable', 'the database is away'))
              : history.list(query),
        }),
      );
    });
    const { observe, onRequest, addHeaders } = telemetry;
    const measured = { observe, onRequest, addHeaders, ...(storage === undefined ? {} : { storage }) };
    pinfold = await openPinfold({
      dataDir,
      publicUrl: url,
      modules: [observed],
      ...measured,
      log: () => undefined,
    });
    const { viewer, api, management } = pinfold;
    server.on('request', (_request, response) => {
      openRequests += 1;
      // A span ends in the turn after its answer is out.
      response.once('close', () => setImmediate(() => setImmediate(() => (openRequests -= 1))));
    });
    server.on('request', express().use(telemetry.requests, viewer, api).use('/manage', management));
    key = (await pinfold.useCases.keys.create({ by: OPERATOR, account: accountId('ada') })).text;
  }

  beforeEach(() => open());
  afterEach(async () => {
    await flush();
    await close();
    await sdk.flush();
    sdk.forget();
  });

  async function close(): Promise<void> {
    await closed(server);
    await pinfold.close();
    await rm(dataDir, { recursive: true });
  }

  const ask = (path: string, headers: Readonly<Record<string, string>> = {}, init: RequestInit = {}) =>
    fetch(`${url}${path}`, {
      redirect: 'manual',
      ...init,
      headers: { authorization: `Bearer ${key}`, ...headers },
    });

  async function publish(headers: Readonly<Record<string, string>> = {}): Promise<RoleId> {
    const body = new FormData();
    const archive = zipSync(
      { 'index.html': strToU8('<!doctype html><title>x</title>') },
      { mtime: '2026-11-20' },
    );
    body.set('archive', new Blob([new Uint8Array(archive)], { type: 'application/zip' }), 'site.zip');
    const answer = await ask(
      '/api/v1/pins',
      { 'idempotency-key': 'one', ...headers },
      { method: 'POST', body },
    );
    expect(answer.status).to.equal(201);
    return ((await answer.json()) as { readonly pin: { readonly id: RoleId } }).pin.id;
  }

  /** Sends what was gathered of all requests so far. */
  async function flush(): Promise<void> {
    while (openRequests > 0) await new Promise((resolve) => setImmediate(resolve));
    await sdk.flush();
  }

  /** The span of the one request, and those below it. */
  async function spansOfRequest(): Promise<readonly [ExportedSpan, readonly ExportedSpan[]]> {
    await flush();
    const spans = sdk.spans();
    const [one, ...others] = spans.filter(({ kind }) => kind === SERVER);
    if (one === undefined || others.length > 0) throw new Error(`spans of servers: ${JSON.stringify(spans)}`);
    return [one, spans.filter((span) => span !== one)];
  }

  it('has a span of the publication that continues its traceparent, with the spans of all stores below it', async () => {
    await publish({ traceparent: TRACEPARENT });
    const [span, below] = await spansOfRequest();
    expect(span).to.deep.include({ name: 'POST /api/v1/pins', traceId: TRACE, parentSpanId: PARENT });
    expect(span.attributes).to.deep.equal({
      'http.request.method': 'POST',
      'url.scheme': 'http',
      'url.path': '/api/v1/pins',
      'http.response.status_code': 201,
      'http.route': '/api/v1/pins',
    });
    expect(new Set(below.map(({ traceId }) => traceId))).to.deep.equal(new Set([TRACE]));
    const named = (name: string) => below.find((child) => child.name === name);
    expect(named('commit roles')).to.deep.include({ kind: CLIENT, parentSpanId: span.spanId });
    expect(named('commit roles')?.attributes).to.deep.equal({
      'db.system.name': 'sqlite',
      'db.collection.name': 'roles',
      'db.operation.name': 'commit',
    });
    for (const name of ['receive staging', 'prove inspector', 'put archives']) {
      expect(named(name), name).to.deep.include({ kind: INTERNAL, parentSpanId: span.spanId });
    }
    for (const { name, nanoseconds } of [span, ...below]) expect(nanoseconds, name).to.be.within(0, 60e9);
    expect(named('find api_keys')).to.have.property('parentSpanId', span.spanId);
  });

  it('has a new trace without a traceparent, or if the client is not trusted', async () => {
    await ask('/api/v1/limits', { traceparent: 'nonsense' });
    const [own] = await spansOfRequest();
    expect(own.parentSpanId).to.equal(undefined);
    await close();
    sdk.forget();
    await open({ trusts: ({ headers }) => headers['x-from-us'] === 'yes' });
    await ask('/api/v1/limits', { traceparent: TRACEPARENT });
    const [, ...rest] = await spansOfRequest();
    expect(rest.flat().some(({ traceId }) => traceId === TRACE)).to.equal(false);
    sdk.forget();
    await ask('/api/v1/limits', { traceparent: TRACEPARENT, 'x-from-us': 'yes' });
    expect((await spansOfRequest())[0].traceId).to.equal(TRACE);
  });

  it('has the status of an answer even if a framework hides that its head was sent', async () => {
    const hidden = { get: () => false, configurable: true };
    server.prependListener('request', (_, response) =>
      Object.defineProperty(response, 'headersSent', hidden),
    );
    for (const [path, status] of [
      ['/api/v1/limits', 200],
      ['/s/00000000-0000-4000-8000-000000000000', 404],
      ['/manage/', 303],
    ] as const) {
      sdk.forget();
      await ask(path);
      expect((await spansOfRequest())[0].attributes, path).to.include({
        'http.response.status_code': status,
      });
    }
  });

  it('continues in the object store by its traceparent', async () => {
    const sent: string[] = [];
    const store = await startS3({
      before: async (method, _path, { traceparent }) => void sent.push(`${method} ${traceparent}`),
    });
    await store.makeBucket('sites');
    Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'hush' });
    await close();
    await open({}, `s3://sites/pinfold?endpoint=${encodeURIComponent(store.endpoint)}`);
    sdk.forget();
    await publish({ traceparent: TRACEPARENT });
    const [, below] = await spansOfRequest();
    const put = below.find(({ name }) => name === 'put archives');
    expect(sent).to.include(`PUT 00-${TRACE}-${put?.spanId}-01`);
    await store.stop();
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) delete process.env[name];
  });

  it('contains no secrets: no key, password, grant, cookie, query or id of a site', async () => {
    const id = await publish();
    const secrets = [key, id, PASSWORD, 'secret-query'];
    const change = { method: 'PATCH', body: JSON.stringify({ password: PASSWORD }) };
    await ask(`/api/v1/pins/${id}`, { 'content-type': 'application/json' }, change);
    const form = { method: 'POST', body: new URLSearchParams({ password: PASSWORD }) };
    const entered = await ask(`/s/${id}?to=/secret-query`, {}, form);
    const location = entered.headers.get('location') ?? '';
    const cookie = (entered.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
    expect(location).to.include('/~');
    secrets.push(/~([^/]+)/.exec(location)?.[1] ?? 'none', cookie.split('=')[1] ?? 'none');
    await ask(new URL(location).pathname, { cookie, accept: 'text/html' });
    await flush();
    const names = sdk
      .spans()
      .filter(({ kind }) => kind === SERVER)
      .map(({ name }) => name);
    expect(names).to.have.members([
      'POST /api/v1/pins',
      'PATCH /api/v1/pins/{id}',
      'POST shared_url',
      'GET site',
    ]);
    const exported = JSON.stringify([sdk.spans(), sdk.points()]);
    for (const secret of secrets) expect(exported).not.to.include(secret);
    const site = sdk.spans().find(({ name }) => name === 'GET site');
    expect(site?.attributes['url.path']).to.equal('REDACTED');
  });

  it('has the durations of requests, by route and status, in the buckets of the conventions', async () => {
    const id = await publish();
    for (let n = 0; n < 3; n += 1) await ask(`/api/v1/pins/${id}`);
    await ask('/api/v1/pins/nothing');
    await ask('/somewhere/else');
    await ask('/api/v1/pins', {}, { method: 'PROPFIND' });
    await flush();
    const points = sdk.points().filter(({ metric }) => metric === 'http.server.request.duration');
    expect(new Set(points.map(({ unit }) => unit))).to.deep.equal(new Set(['s']));
    expect(points[0]?.bounds).to.deep.equal([
      0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
    ]);
    const counts = points.map(({ attributes: a, count }) => [
      `${a['http.request.method']} ${a['http.route']} ${a['http.response.status_code']}`,
      count,
    ]);
    expect(Object.fromEntries(counts)).to.include({
      'POST /api/v1/pins 201': 1,
      'GET /api/v1/pins/{id} 200': 3,
      'GET /api/v1/pins/{id} 404': 1,
      'GET undefined 404': 1,
      '_OTHER /api/v1/pins 405': 1,
    });
  });

  it('has the metrics of stores and publications', async () => {
    await publish();
    await flush();
    const pointsOf = (metric: string) => sdk.points().filter((point) => point.metric === metric);
    const commits = pointsOf('db.client.operation.duration').filter(
      ({ attributes }) => attributes['db.operation.name'] === 'commit',
    );
    expect(commits).to.have.lengthOf(1);
    expect(commits[0]).to.deep.include({ unit: 's', count: 1 });
    const puts = pointsOf('pinfold.storage.operation.duration').filter(
      ({ attributes }) => attributes['pinfold.operation'] === 'put',
    );
    expect(puts[0]?.attributes).to.deep.equal({ 'pinfold.store': 'archives', 'pinfold.operation': 'put' });
    expect(pointsOf('pinfold.publications')[0]?.attributes).to.deep.equal({ 'pinfold.outcome': 'published' });
    const stages = pointsOf('pinfold.publish.stage.duration').map(
      ({ attributes }) => attributes['pinfold.stage'],
    );
    expect(stages).to.have.members(['prove', 'store', 'commit']);
  });

  it('names failures, and distinguishes errors of clients', async () => {
    isDatabaseAway = true;
    expect((await ask('/api/v1/events')).status).to.equal(503);
    const [span, below] = await spansOfRequest();
    expect(span.status.code).to.equal(SpanStatusCode.ERROR);
    expect(span.attributes).to.include({
      'error.type': 'store_unavailable',
      'http.response.status_code': 503,
    });
    const list = below.find(({ name }) => name === 'list history');
    expect(list?.attributes).to.include({ 'error.type': 'store_unavailable' });
    sdk.forget();
    await ask('/api/v1/nothing');
    const [mistake] = await spansOfRequest();
    expect(mistake.status.code, 'a mistake of the client').to.equal(SpanStatusCode.UNSET);
    expect(mistake.attributes).not.to.have.property('error.type');
  });

  it('has only an inner span if other code has created a server span', async () => {
    const outer = trace.getTracer('another instrumentation');
    const inner = server.listeners('request')[1] as (...args: readonly unknown[]) => void;
    server.off('request', inner);
    server.on('request', (request, response) =>
      outer.startActiveSpan('GET', { kind: SpanKind.SERVER }, (span) => {
        response.once('close', () => span.end());
        inner(request, response);
      }),
    );
    await ask('/api/v1/limits', { traceparent: TRACEPARENT });
    const [span, below] = await spansOfRequest();
    expect(span.name).to.equal('GET');
    const ours = below.find(({ name }) => name === 'GET /api/v1/limits');
    expect(ours).to.deep.include({ kind: INTERNAL, parentSpanId: span.spanId });
    const measured = sdk.points().filter(({ metric }) => metric === 'http.server.request.duration');
    expect(measured, 'measured by the others').to.deep.equal([]);
  });
});
