import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from '../lib/load.ts';
import { installPeers, peerServer } from '../lib/peers.ts';
import { freePort, isThere, type RunningServer, startServer } from '../lib/processes.ts';
import { type Row, report } from '../lib/report.ts';
import { swaggerSite, writeSite } from '../lib/sites.ts';
import { inRounds, median } from '../lib/statistics.ts';

const ROUNDS = 5;
const SECONDS = 3;

/** What the runtime itself can do where Pinfold falls short: no server in Node is faster than these. */
export async function run(): Promise<void> {
  installPeers();
  const folder = await mkdtemp(join(tmpdir(), 'pinfold-bench-'));
  await chmod(folder, 0o755);
  const site = join(folder, 'site');
  const running: RunningServer[] = [];
  try {
    await writeSite(await swaggerSite(), site);
    const start = async (script: string, way = ''): Promise<string> => {
      const port = await freePort();
      const environment = { ROOT: site, PORT: String(port), SCRATCH: join(folder, `${port}`), WAY: way };
      running.push(await startServer([process.execPath, peerServer(script)], environment));
      return `http://127.0.0.1:${port}`;
    };
    const rows = [...(await unchangedRows(start)), ...(isThere('nginx') ? await scriptRows(start) : [])];
    for (const server of running.splice(0)) await server.stop();
    await report('limits', rows);
  } finally {
    for (const server of running) await server.stop();
    await rm(folder, { recursive: true });
  }
}

/** Starts a script of `peers/servers`; gives its URL. */
type Start = (script: string, way?: string) => Promise<string>;

async function unchangedRows(start: Start): Promise<readonly Row[]> {
  const path = '/swagger-ui.css';
  const sirv = await start('sirv');
  const gzip = { 'Accept-Encoding': 'gzip' };
  const etag = (await fetch(sirv + path, { headers: gzip })).headers.get('etag') ?? '';
  const headers = { ...gzip, 'If-None-Match': etag };
  const { status } = await fetch(sirv + path, { headers });
  if (status !== 304) throw new Error(`sirv answers ${status}`);
  const ways = ['304 with its headers', '304 without headers', '304 over bare TCP'];
  return await rowsOf('sirv', sirv, ways, start, async (url) => {
    return (await load({ url: url + path, headers }, SECONDS)).requests;
  });
}

async function scriptRows(start: Start): Promise<readonly Row[]> {
  const path = '/swagger-ui-bundle.js';
  const ways = ['script in one piece', 'script in pieces', 'script over bare TCP'];
  return await rowsOf('nginx', await start('nginx'), ways, start, async (url) => {
    return (await load({ url: url + path, headers: { 'Accept-Encoding': 'gzip' } }, SECONDS)).bytes;
  });
}

async function rowsOf(
  peer: string,
  peerUrl: string,
  ways: readonly string[],
  start: Start,
  measure: (url: string) => Promise<number>,
): Promise<readonly Row[]> {
  const candidates = new Map([[peer, () => measure(peerUrl)]]);
  for (const way of ways) {
    const url = await start('limits', way);
    candidates.set(way, () => measure(url));
  }
  for (const warm of candidates.values()) await warm();
  const values: Readonly<Record<string, readonly number[]>> = await inRounds(
    Object.fromEntries(candidates),
    ROUNDS,
  );
  return ways.map((what) => {
    const figure = median(values[what] ?? []) / median(values[peer] ?? []);
    return {
      what,
      figure,
      unit: `× ${peer}`,
      values: { [what]: values[what] ?? [], [peer]: values[peer] ?? [] },
    };
  });
}
