import { expect } from 'chai';
import { callApi, publish, publishPin, send } from '../servers/api-calls.ts';
import { type Served, serve } from '../servers/served.ts';
import { metricOf, metricsText } from './metrics-text.ts';

describe('metrics', () => {
  let server: Served;
  let port: number | undefined;

  beforeEach(async () => {
    server = await serve({ PINFOLD_METRICS_PORT: '0', PINFOLD_NODE: 'node "1"' });
    port = server.metricsPort;
  });

  afterEach(() => server.close());

  it('are Prometheus text 0.0.4 on a separate port', async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect(answer.headers.get('content-type')).to.equal('text/plain; version=0.0.4; charset=utf-8');
    const text = await answer.text();
    expect(text).to.match(/^pinfold_build_info\{version="\d+\.\d+\.\d+[^"]*",node="node \\"1\\""\} 1$/m);
    expect(text).to.match(/\n$/);
    expect((await fetch(`http://127.0.0.1:${server.port}/metrics`)).status).to.equal(404);
  });

  it('are the only path of their port', async () => {
    const url = `http://127.0.0.1:${port}`;
    expect((await fetch(`${url}/`)).status).to.equal(404);
    expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).to.equal(405);
    expect((await fetch(`${url}/metrics`, { method: 'HEAD' })).status).to.equal(200);
    expect((await send(url, 'http://other.example/metrics')).status).to.equal(200);
  });

  it('count requests, publications, refused views and password tries, without ids, keys or addresses', async () => {
    const pin = await publishPin(server.url, server.key, 'metrics-1');
    await publish(server.url, server.key, 'metrics-1');
    expect((await publish(server.url, server.key, 'metrics-2', new Uint8Array([1, 2, 3]))).status).to.equal(
      422,
    );
    const host = { host: `${pin.id}.localhost:${server.port}` };
    const local = `http://127.0.0.1:${server.port}`;
    expect((await send(local, '/', host)).status).to.equal(200);
    expect((await send(local, '/', host)).status).to.equal(200);
    expect((await send(local, '/nowhere', host)).status).to.equal(404);
    const protection = { password: 'a secret passphrase' };
    await callApi(server.url, server.key, 'PATCH', `/api/v1/pins/${pin.id}`, protection);
    const publicHost = { host: `localhost:${server.port}` };
    expect((await send(local, `/s/${pin.id}`, publicHost, 'password=wrong')).status).to.equal(403);
    const text = await metricsText(port);
    const requests = (route: string, method: string, status: number): number | undefined =>
      metricOf(text, `pinfold_http_requests_total{route="${route}",method="${method}",status="${status}"}`);
    expect(requests('/api/v1/pins', 'POST', 201)).to.equal(1);
    expect(requests('/api/v1/pins', 'POST', 422)).to.equal(1);
    expect(requests('site', 'GET', 200)).to.equal(2);
    expect(requests('site', 'GET', 404)).to.equal(1);
    expect(metricOf(text, 'pinfold_http_request_seconds_count{route="site"}')).to.equal(3);
    expect(metricOf(text, 'pinfold_http_request_seconds_bucket{route="site",le="+Inf"}')).to.equal(3);
    expect(metricOf(text, 'pinfold_publications_total{outcome="published"}')).to.equal(1);
    expect(metricOf(text, 'pinfold_publications_total{outcome="replayed"}')).to.equal(1);
    expect(metricOf(text, 'pinfold_publications_total{outcome="invalid_archive"}')).to.equal(1);
    expect(text).to.match(/^pinfold_archive_problems_total\{rule="[a-z_]+"\} 1$/m);
    expect(metricOf(text, 'pinfold_publish_stage_seconds_count{stage="commit"}')).to.equal(1);
    expect(metricOf(text, 'pinfold_views_refused_total{reason="wrong_password"}')).to.equal(1);
    expect(metricOf(text, 'pinfold_views_refused_total{reason="no_such_file"}')).to.equal(1);
    expect(metricOf(text, 'pinfold_password_tries_total{outcome="wrong"}')).to.equal(1);
    expect(metricOf(text, 'pinfold_cache_misses_total{cache="bodies"}')).to.equal(1);
    expect(metricOf(text, 'pinfold_cache_hits_total{cache="bodies"}')).to.equal(1);
    expect(metricOf(text, 'pinfold_cache_bytes{cache="bodies"}')).to.be.greaterThan(0);
    expect(metricOf(text, 'pinfold_store_seconds_count{store="archives",operation="put"}')).to.equal(1);
    expect(metricOf(text, 'pinfold_http_sent_bytes_total')).to.be.greaterThan(1_000);
    expect(metricOf(text, 'pinfold_http_received_bytes_total')).to.be.greaterThan(1_000);
    for (const secret of [pin.id, server.key, 'default', '127.0.0.1', 'nowhere', 'metrics-1']) {
      expect(text).not.to.include(secret);
    }
  });

  it('measure the process', async () => {
    await metricsText(port);
    const text = await metricsText(port);
    const value = (name: string): number => metricOf(text, name) ?? Number.NaN;
    expect(value('process_resident_memory_bytes')).to.be.within(20e6, 20e9);
    expect(value('process_cpu_seconds_total')).to.be.greaterThan(0.01);
    expect(value('process_start_time_seconds')).to.be.closeTo(performance.timeOrigin / 1_000, 1);
    expect(value('process_open_fds')).to.be.within(3, value('process_max_fds'));
  });

  it('have the running and the waiting tasks', async () => {
    const text = await metricsText(port);
    for (const queue of ['publications', 'hashes', 'inflations', 'uploads']) {
      for (const state of ['waiting', 'running']) {
        expect(metricOf(text, `pinfold_queue{queue="${queue}",state="${state}"}`)).to.equal(0);
      }
    }
  });

  it('do not let clients create series by methods or by the case of paths', async () => {
    const local = `http://127.0.0.1:${server.port}`;
    for (const path of ['/manage', '/MANAGE', '/Manage', '/nowhere']) await send(local, path);
    await fetch(`${local}/livez`, { method: 'PROPFIND' });
    const text = await metricsText(port);
    const routes = new Set(
      [...text.matchAll(/^pinfold_http_requests_total\{route="([^"]+)"/gm)].map(([, r]) => r),
    );
    expect(routes).to.deep.equal(new Set(['/manage/', 'none', '/livez']));
    expect(
      metricOf(text, 'pinfold_http_requests_total{route="/livez",method="other",status="405"}'),
    ).to.equal(1);
  });

  it('make the start fail if their port is taken', async () => {
    const refused = await serve({ PINFOLD_METRICS_PORT: String(port) }).then(
      () => 'served',
      (error: unknown) => String(error),
    );
    expect(refused).to.match(/PINFOLD_METRICS_PORT/);
  });

  it('are off by default', async () => {
    const plain = await serve();
    expect(plain.metricsPort).to.equal(undefined);
    await plain.close();
  });
});
