import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { type OutgoingHttpHeaders, request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { NodeApiKeySecrets } from '@pinfold/platform-node';
import { expect } from 'chai';
import { metricOf, metricsText } from '../metrics/metrics-text.ts';
import { callApi, list, publish, publishPin } from '../servers/api-calls.ts';
import { type ChildServer, startChild } from '../servers/child-server.ts';
import { newFolder } from '../servers/new-folder.ts';

const { text: apiKey } = new NodeApiKeySecrets().mint();

/** The child processes of a process. */
function childrenOf(pid: number | undefined): readonly number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.filter(([, parent]) => parent === pid).map(([child = 0]) => child);
}

function isRunning(pid: number): boolean {
  const states = execFileSync('ps', ['-A', '-o', 'pid=,stat='], { encoding: 'utf8' }).trim().split('\n');
  const state = states.map((line) => line.trim().split(/\s+/)).find(([id]) => Number(id) === pid);
  return state !== undefined && !state[1]?.startsWith('Z');
}

/** Sends a request over a separate connection, which any worker may accept. */
async function statusOf(url: string, path: string, more: OutgoingHttpHeaders = {}): Promise<number> {
  const { hostname, port } = new URL(url);
  const headers = { connection: 'close', ...more };
  const outgoing = request({ hostname: hostname.replace('localhost', '127.0.0.1'), port, path, headers });
  outgoing.end();
  const [answer] = await once(outgoing, 'response');
  answer.resume();
  return answer.statusCode;
}

describe('several processes on one port', () => {
  let folder: string;

  beforeEach(() => {
    folder = newFolder();
  });

  const start = (env: Readonly<Record<string, string>> = {}): ChildServer =>
    startChild({ PINFOLD_DATA_DIR: folder, PINFOLD_WORKERS: '2', PINFOLD_API_KEY: apiKey, ...env });

  /** The public URL and the workers, once there are this many. */
  async function ready(server: ChildServer, count: number): Promise<readonly [string, readonly number[]]> {
    await server.untilOutput(new RegExp(`(?:"a worker is ready"[^]*){${count}}`));
    return [await server.url(), childrenOf(server.process.pid)];
  }

  it('make one first start, print it once, all answer, and see each other’s changes immediately', async () => {
    const server = start();
    const [url, workers] = await ready(server, 2);
    expect(workers).to.have.length(2);
    await server.untilOutput(/^curl /m);
    const [welcome] = await list(url, apiKey);
    expect(welcome?.title).to.equal('Welcome to Pinfold');
    expect(server.output().match(/^curl /gm)).to.have.length(1);
    const statuses = Array.from({ length: 40 }, () => statusOf(url, '/readyz'));
    expect(new Set(await Promise.all(statuses))).to.deep.equal(new Set([200]));
    const pin = await publishPin(url, apiKey, 'one');
    const host = `${pin.id}.localhost:${new URL(url).port}`;
    const viewStatuses = async (): Promise<ReadonlySet<number>> =>
      new Set(await Promise.all(Array.from({ length: 20 }, () => statusOf(url, '/', { host }))));
    expect(await viewStatuses()).to.deep.equal(new Set([200]));
    expect((await callApi(url, apiKey, 'DELETE', `/api/v1/pins/${pin.id}`)).status).to.equal(204);
    expect(await viewStatuses()).to.deep.equal(new Set([404]));
  });

  it('store the views that each of them has counted when they stop', async () => {
    const server = start();
    const [url] = await ready(server, 2);
    const pin = await publishPin(url, apiKey, 'one');
    const viewHeaders = { host: `${pin.id}.localhost:${new URL(url).port}`, accept: 'text/html' };
    await Promise.all(Array.from({ length: 40 }, () => statusOf(url, '/', viewHeaders)));
    server.process.kill('SIGTERM');
    await server.ended();
    const [again] = await ready(start(), 2);
    const response = await callApi(again, apiKey, 'GET', `/api/v1/pins/${pin.id}?include=views`);
    const { views } = (await response.json()) as { readonly views: readonly { readonly views: number }[] };
    // More than one day if midnight passes in between.
    expect(views.reduce((sum, day) => sum + day.views, 0)).to.equal(40);
  });

  it('replace a process that dies, and add up all counters, those of the dead process included', async () => {
    const server = start({ PINFOLD_METRICS_PORT: '0', PINFOLD_LOG_LEVEL: 'info' });
    const [url, workers] = await ready(server, 2);
    const [, port] = await server.untilOutput(/"metrics_port":(\d+)/);
    const answeredIn = (text: string): number =>
      metricOf(text, 'pinfold_http_requests_total{route="/livez",method="GET",status="200"}') ?? 0;
    /** Workers report their counts once a second. */
    const expectAnswered = async (count: number): Promise<void> => {
      let text = await metricsText(Number(port));
      while (answeredIn(text) < count) text = await metricsText(Number(port));
      expect(answeredIn(text)).to.equal(count);
      expect(metricOf(text, 'pinfold_queue{queue="uploads",state="running"}')).to.equal(0);
      expect(text.match(/^pinfold_build_info\{.*\} 1$/gm)).to.have.length(1);
    };
    const send40 = (): Promise<readonly number[]> =>
      Promise.all(Array.from({ length: 40 }, () => statusOf(url, '/livez')));
    await send40();
    await expectAnswered(40);
    process.kill(workers[0] ?? 0, 'SIGKILL');
    await server.untilOutput(/a worker ended/);
    expect(await publish(url, apiKey, 'with one less')).to.have.property('status', 201);
    const [, currentWorkers] = await ready(server, 3);
    expect(currentWorkers).to.have.length(2);
    expect(currentWorkers).not.to.include(workers[0]);
    expect(answeredIn(await metricsText(Number(port)))).to.equal(40);
    await send40();
    await expectAnswered(80);
    server.process.kill('SIGTERM');
    expect(await server.ended()).to.deep.equal([0, null]);
  });

  it('answer connections that arrive while one of them dies', async () => {
    const server = start();
    for (let deaths = 0; deaths < 2; deaths += 1) {
      const [url, workers] = await ready(server, 2 + deaths);
      process.kill(workers.at(-1) ?? 0, 'SIGKILL');
      const statuses = Array.from({ length: 20 }, () => statusOf(url, '/readyz').catch(() => 'closed'));
      expect(await Promise.all(statuses)).to.include(200);
    }
  });

  it('end with their leader', async () => {
    const server = start();
    const [, workers] = await ready(server, 2);
    server.process.kill('SIGKILL');
    // Its output ends when the last process that writes to it has ended.
    await server.ended();
    // A process closes its output shortly before the system reports its end.
    while (workers.some(isRunning)) await new Promise((resolve) => setTimeout(resolve, 20));
  });

  it('do not start on a taken port, create nothing, and report that in one line', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const server = start({ PINFOLD_PORT: String(port) });
    expect(await server.ended()).to.deep.equal([1, null]);
    expect(server.output()).to.match(/^pinfold: PINFOLD_PORT [^\n]+\n$/);
    other.close();
    const url = await start().url();
    expect(await list(url, apiKey)).to.have.length(1);
  });
});
