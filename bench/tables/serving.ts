import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { load, loader, type Target } from '../lib/load.ts';
import { installPeers, peerServer } from '../lib/peers.ts';
import { type PinfoldServer, startPinfold } from '../lib/pinfold.ts';
import { freePort, isThere, type RunningServer, startServer } from '../lib/processes.ts';
import { type Row, report } from '../lib/report.ts';
import { type Site, smallPages, swaggerSite, writeSite, zipOf } from '../lib/sites.ts';
import { inRounds, median } from '../lib/statistics.ts';
import { coldRows } from './cold.ts';
import { loopDelayRow } from './loop-delay.ts';

const ROUNDS = 5;
const SECONDS = 3;
const PEERS = [
  'bare-http',
  'express-static',
  'sirv',
  'fastify-static',
  ...(isThere('nginx') ? ['nginx'] : []),
];
const SMALL = '/index.html';
const STYLE = '/swagger-ui.css';
const LARGE = '/swagger-ui-bundle.js';

interface Candidate {
  readonly name: string;
  readonly server: RunningServer;
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Requests and bytes per second, against the servers that people serve folders with. */
export async function run(): Promise<void> {
  installPeers();
  const folder = await mkdtemp(join(tmpdir(), 'pinfold-bench-'));
  // The workers of nginx are another user's.
  await chmod(folder, 0o755);
  const running: RunningServer[] = [];
  try {
    const site = await swaggerSite();
    await writeSite(site, join(folder, 'site'));
    const pinfold = await startPinfold(join(folder, 'data'));
    running.push(pinfold);
    const candidates = await startAll(folder, pinfold, zipOf(site), running);
    for (const candidate of candidates) await checkBytes(candidate, site);
    process.stderr.write(`loads by ${loader}, ${ROUNDS} rounds of ${SECONDS} s\n`);
    const rows = [
      ...(await smallRows(candidates)),
      ...(await largeRows(candidates)),
      ...(await unchangedRows(candidates)),
      await pagesRow(pinfold, folder, running),
    ];
    for (const server of running.splice(0)) await server.stop();
    await report('serving', [...rows, ...(await coldRows(folder)), await loopDelayRow(folder)]);
  } finally {
    for (const server of running) await server.stop();
    await rm(folder, { recursive: true });
  }
}

async function startAll(
  folder: string,
  pinfold: PinfoldServer,
  archive: Uint8Array<ArrayBuffer>,
  running: RunningServer[],
): Promise<readonly Candidate[]> {
  const open = await pinfold.publish(archive, 'open');
  const locked = await pinfold.publish(archive, 'locked');
  const cookie = await pinfold.protect(locked);
  const { port } = pinfold;
  const candidates: Candidate[] = [
    { name: 'pinfold', server: pinfold, port, headers: { Host: pinfold.hostOf(open) } },
    { name: 'protected', server: pinfold, port, headers: { Host: pinfold.hostOf(locked), Cookie: cookie } },
  ];
  for (const name of PEERS) candidates.push(await startPeer(name, join(folder, 'site'), folder, running));
  return candidates;
}

async function startPeer(
  name: string,
  root: string,
  folder: string,
  running: RunningServer[],
): Promise<Candidate> {
  const port = await freePort();
  const environment = { ROOT: root, PORT: String(port), SCRATCH: join(folder, `scratch-${port}`) };
  const server = await startServer([process.execPath, peerServer(name)], environment);
  running.push(server);
  return { name, server, port, headers: {} };
}

/** Speed is worth nothing where the bytes differ: every candidate must answer what the site holds. */
async function checkBytes(candidate: Candidate, site: Site): Promise<void> {
  for (const path of [SMALL, STYLE, LARGE]) {
    const { status, body } = await get(candidate, path);
    const expected = Buffer.from(site[path.slice(1)] ?? []);
    if (status !== 200 || !body.equals(expected)) {
      throw new Error(`${candidate.name} answers ${path} with ${status} and other bytes`);
    }
  }
}

function get(
  { port, headers }: Candidate,
  path: string,
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly body: Buffer; readonly etag: string | undefined }> {
  const all = { ...headers, 'Accept-Encoding': 'gzip', ...more };
  return new Promise((resolve, reject) => {
    httpRequest({ host: '127.0.0.1', port, path, headers: all }, async (answer) => {
      const raw = Buffer.concat(await answer.toArray());
      const body = answer.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw;
      resolve({ status: answer.statusCode ?? 0, body, etag: answer.headers.etag });
    })
      .on('error', reject)
      .end();
  });
}

function target({ port, headers }: Candidate, path: string, more: Record<string, string> = {}): Target {
  const all = { ...headers, 'Accept-Encoding': 'gzip', ...more };
  return { url: `http://127.0.0.1:${port}${path}`, headers: all };
}

async function measured(
  candidates: readonly Candidate[],
  targetOf: (candidate: Candidate) => Promise<Target>,
  figure: 'requests' | 'bytes',
): Promise<Record<string, number[]>> {
  const targets = await Promise.all(candidates.map(async (c) => [c.name, await targetOf(c)] as const));
  for (const [, warm] of targets) await load(warm, 1);
  const works = targets.map(([name, t]) => [name, async () => (await load(t, SECONDS))[figure]] as const);
  return await inRounds(Object.fromEntries(works), ROUNDS);
}

async function smallRows(candidates: readonly Candidate[]): Promise<readonly Row[]> {
  const values = await measured(candidates, async (c) => target(c, SMALL), 'requests');
  const what = 'requests/s, small page';
  return [
    { what, ...ratio(values, 'pinfold', 'express-static', 3), values },
    { what, ...ratio(values, 'pinfold', 'sirv', 2) },
    { what, ...ratio(values, 'pinfold', 'fastify-static') },
    { what, ...ratio(values, 'pinfold', 'bare-http', 0.6) },
    ...(values.nginx === undefined ? [] : [{ what, ...ratio(values, 'pinfold', 'nginx') }]),
    { what: 'the same, grant checked', ...ratio(values, 'protected', 'pinfold', 0.8) },
  ];
}

async function largeRows(candidates: readonly Candidate[]): Promise<readonly Row[]> {
  const some = candidates.filter(({ name }) => ['pinfold', 'bare-http', 'nginx'].includes(name));
  const values = await measured(some, async (c) => target(c, LARGE), 'bytes');
  const other = values.nginx === undefined ? 'bare-http' : 'nginx';
  return [
    { what: 'bytes/s, large script', ...ratio(values, 'pinfold', other, 0.8), values },
    ...(other === 'nginx'
      ? [{ what: 'bytes/s, large script', ...ratio(values, 'pinfold', 'bare-http') }]
      : []),
  ];
}

async function unchangedRows(candidates: readonly Candidate[]): Promise<readonly Row[]> {
  const some = candidates.filter(({ name }) =>
    ['pinfold', 'sirv', 'express-static', 'bare-http'].includes(name),
  );
  const withTag = async (candidate: Candidate) => {
    const { etag = '' } = await get(candidate, STYLE);
    const condition = { 'If-None-Match': etag };
    const { status } = await get(candidate, STYLE, condition);
    if (status !== 304) throw new Error(`${candidate.name} answers ${status} to what it has answered before`);
    return target(candidate, STYLE, condition);
  };
  const values = await measured(some, withTag, 'requests');
  const what = '304 answers/s';
  return [
    { what, ...ratio(values, 'pinfold', 'sirv', 2), values },
    { what, ...ratio(values, 'pinfold', 'express-static') },
    { what, ...ratio(values, 'pinfold', 'bare-http') },
  ];
}

/** Every page of a site of 500 in turn. */
async function pagesRow(pinfold: PinfoldServer, folder: string, running: RunningServer[]): Promise<Row> {
  const site = smallPages(500);
  await writeSite(site, join(folder, 'pages'));
  const id = await pinfold.publish(zipOf(site), 'pages');
  const ours: Candidate = {
    name: 'pinfold',
    server: pinfold,
    port: pinfold.port,
    headers: { Host: pinfold.hostOf(id) },
  };
  const sirv = await startPeer('sirv', join(folder, 'pages'), folder, running);
  const paths = Object.keys(site).map((name) => `/${name}`);
  const inTurn = async (candidate: Candidate) => ({ ...target(candidate, '/'), paths });
  const values = await measured([ours, sirv], inTurn, 'requests');
  return { what: 'requests/s, 500 pages in turn', ...ratio(values, 'pinfold', 'sirv', 2), values };
}

function ratio(
  values: Readonly<Record<string, readonly number[]>>,
  name: string,
  peer: string,
  atLeast?: number,
): Pick<Row, 'figure' | 'unit' | 'goal'> {
  const figure = median(values[name] ?? []) / median(values[peer] ?? []);
  return { figure, unit: `× ${peer}`, ...(atLeast === undefined ? {} : { goal: { atLeast } }) };
}
