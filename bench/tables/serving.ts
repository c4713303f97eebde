import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { postgresUrl, startPostgres } from 'pinfold-test-servers';
import { loader } from '../lib/load.ts';
import { type PinfoldServer, startPinfold } from '../lib/pinfold.ts';
import { isThere, type RunningServer } from '../lib/processes.ts';
import { type Row, reportParts } from '../lib/report.ts';
import { type Site, smallPages, swaggerSite, writeSite, zipOf } from '../lib/sites.ts';
import { compared } from '../lib/statistics.ts';
import {
  type Candidate,
  get,
  inFolder,
  type Measured,
  measured,
  ROUNDS,
  rowsOf,
  SECONDS,
  startPeer,
  target,
} from '../lib/views.ts';
import { coldRows } from './cold.ts';
import { loopDelayRow } from './loop-delay.ts';

const PEERS = ['express-static', 'sirv', 'fastify-static', ...(isThere('nginx') ? ['nginx'] : [])];
const SMALL = '/index.html';
const STYLE = '/swagger-ui.css';
const LARGE = '/swagger-ui-bundle.js';

/** Requests and bytes per second, against the servers that people serve folders with; `--only PART` for one part. */
export async function run(): Promise<void> {
  await inFolder(async (folder, running) => {
    const site = await swaggerSite();
    const ours = await startOurs(folder, site, running);
    const [pinfold] = ours;
    const bare = await startBare(pinfold, folder, running);
    const candidates = [bare, ...ours, ...(await startPeers(folder, site, running))];
    for (const candidate of candidates) await checkBytes(candidate, site);
    process.stderr.write(`loads by ${loader}, ${ROUNDS} rounds of ${SECONDS} s\n`);
    const some = (...names: readonly string[]) => candidates.filter(({ name }) => names.includes(name));
    await reportParts('serving', {
      small: () => smallRows(candidates),
      script: async () =>
        rowsOf(
          'bytes of a large script',
          await measured(some('pinfold', 'bare-http', 'nginx'), (c) => target(c, LARGE), 'bytes'),
          [
            ['pinfold', 'nginx', 0.8],
            ['pinfold', 'bare-http'],
          ],
        ),
      unchanged: async () =>
        rowsOf(
          '304 answers',
          await measured(some('pinfold', 'sirv', 'express-static', 'bare-http'), withTag),
          [
            ['pinfold', 'bare-http', 0.8],
            ['pinfold', 'sirv'],
            ['pinfold', 'express-static'],
          ],
        ),
      pages: () => pagesRows(pinfold, folder, running),
      postgres: () => postgresRows(pinfold, folder, running),
      cold: async () => {
        for (const server of running.splice(0)) await server.stop();
        return [...(await coldRows(folder)), await loopDelayRow(folder)];
      },
    });
  });
}

async function smallRows(candidates: readonly Candidate[]): Promise<readonly Row[]> {
  const small = await measured(candidates, (c) => target(c, SMALL));
  const rows = rowsOf('small page', small, [
    ['pinfold', 'express-static', 3.5],
    ['pinfold', 'sirv', 3],
    ['pinfold', 'fastify-static'],
    ['pinfold', 'bare-http', 0.5],
    ['pinfold', 'nginx'],
    ['silent', 'bare-http', 0.65],
    ['pinfold', 'silent', 0.87],
    ['protected', 'pinfold', 0.85],
  ]);
  return [...rows, logLineRow(small)];
}

/** The most processor time that a view may cost, in that of bare `node:http`: what runs have had, and a fifth. */
const BUDGETS = { pinfold: 1.55, silent: 1.4 };

/** A small page alone. */
export async function viewBudgets(folder: string, running: RunningServer[]): Promise<readonly Row[]> {
  const ours = await startOurs(folder, await swaggerSite(), running);
  const bare = await startBare(ours[0], folder, running);
  const values = (await measured([bare, ...ours], (c) => target(c, SMALL))).cpu;
  return Object.entries(BUDGETS).map(([name, atMost]) => {
    const figure = compared(values[name], values['bare-http']);
    return { what: `CPU of a small page, ${name}`, figure, unit: '× bare-http', goal: { atMost }, values };
  });
}

/** The server as it is shipped, its log in a file: a public site, one with a password; and the server with its log silent. */
async function startOurs(
  folder: string,
  site: Site,
  running: RunningServer[],
): Promise<readonly [Shipped, Candidate, Candidate]> {
  const archive = zipOf(site);
  const shipped = await startPinfold(join(folder, 'data'), {}, { log: join(folder, 'log') });
  const quiet = await startPinfold(join(folder, 'quiet'));
  running.push(shipped, quiet);
  const locked = await shipped.publish(archive, 'locked');
  const cookie = await shipped.protect(locked);
  const open = async (name: string, server: PinfoldServer) => {
    const headers = { Host: server.hostOf(await server.publish(archive, 'open')) };
    return { name, server, port: server.port, headers };
  };
  const headers = { Host: shipped.hostOf(locked), Cookie: cookie };
  return [
    await open('pinfold', shipped),
    await open('silent', quiet),
    { name: 'protected', server: shipped, port: shipped.port, headers },
  ];
}

interface Shipped extends Candidate {
  readonly server: PinfoldServer;
}

async function startPeers(
  folder: string,
  site: Site,
  running: RunningServer[],
): Promise<readonly Candidate[]> {
  const ROOT = join(folder, 'site');
  await writeSite(site, ROOT);
  const peers: Candidate[] = [];
  for (const name of PEERS) peers.push(await startPeer(name, folder, { ROOT }));
  running.push(...peers.map(({ server }) => server));
  return peers;
}

/** Bare `node:http`, answering from memory the very bytes and headers that Pinfold answered. */
async function startBare(pinfold: Candidate, folder: string, running: RunningServer[]): Promise<Candidate> {
  const ANSWERS = join(folder, 'answers.json');
  const answers: Record<string, object> = {};
  for (const path of [SMALL, STYLE, LARGE]) {
    const whole = await get(pinfold, path);
    const unchanged = await get(pinfold, path, { 'If-None-Match': whole.etag ?? '' });
    const { headers, raw, etag } = whole;
    answers[path] = { etag, headers, body: raw.toString('latin1'), unchanged: unchanged.headers };
  }
  await writeFile(ANSWERS, JSON.stringify(answers));
  const bare = await startPeer('bare-http', folder, { ANSWERS });
  running.push(bare.server);
  return bare;
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

async function withTag(candidate: Candidate) {
  const { etag = '' } = await get(candidate, STYLE);
  const condition = { 'If-None-Match': etag };
  const { status } = await get(candidate, STYLE, condition);
  if (status !== 304) throw new Error(`${candidate.name} answers ${status} to what it has answered before`);
  return target(candidate, STYLE, condition);
}

function logLineRow({ cpu }: Measured): Row {
  const figure = compared(cpu.pinfold, cpu.silent, (logged, silent) => logged - silent);
  return { what: 'CPU of one line of the log', figure, unit: 'µs', goal: { atMost: 4 } };
}

/** Every page of a site of 500 in turn. */
async function pagesRows(
  { server: pinfold }: Shipped,
  folder: string,
  running: RunningServer[],
): Promise<readonly Row[]> {
  const site = smallPages(500);
  const ROOT = join(folder, 'pages');
  await writeSite(site, ROOT);
  const headers = { Host: pinfold.hostOf(await pinfold.publish(zipOf(site), 'pages')) };
  const sirv = await startPeer('sirv', folder, { ROOT });
  running.push(sirv.server);
  const paths = Object.keys(site).map((name) => `/${name}`);
  const ours = { name: 'pinfold', server: pinfold, port: pinfold.port, headers };
  const values = await measured([ours, sirv], (candidate) => ({ ...target(candidate, '/'), paths }));
  return rowsOf('500 pages in turn', values, [['pinfold', 'sirv', 3]]);
}

/** One node on PostgreSQL beside one on SQLite, both as shipped, and what its views ask of the database. */
async function postgresRows(
  sqlite: Candidate,
  folder: string,
  running: RunningServer[],
): Promise<readonly Row[]> {
  const postgres = await startPostgres();
  try {
    const environment = {
      PINFOLD_DATABASE_URL: postgresUrl(postgres.address),
      PINFOLD_SECRET: 'the secret of the node',
    };
    const server = await startPinfold(join(folder, 'on postgres'), environment, {
      log: join(folder, 'log 2'),
    });
    running.push(server);
    const headers = { Host: server.hostOf(await server.publish(zipOf(smallPages(2)), 'small')) };
    const node = { name: 'on PostgreSQL', server, port: server.port, headers };
    const values = await measured([sqlite, node], (candidate) => target(candidate, '/'));
    const rows = rowsOf('small page', values, [['on PostgreSQL', 'pinfold']]);
    const figure = await statementsPerView(postgres.address, node);
    running.splice(running.indexOf(server), 1);
    await server.stop();
    const what = 'small page: on PostgreSQL, statements a view';
    return [...rows, { what, figure, unit: 'statements', goal: { atMost: 1.05 } }];
  } finally {
    await postgres.stop();
  }
}

/** Each statement of a view is a transaction of its own; an idle connection of PostgreSQL publishes its count after 10 s. */
async function statementsPerView(address: pg.ClientConfig, node: Candidate): Promise<number> {
  const VIEWS = 2_000;
  const client = new pg.Client(address);
  await client.connect();
  const commits = async () => {
    await new Promise((resolve) => setTimeout(resolve, 11_000));
    const { rows } = await client.query<{ xact_commit: string }>(
      'SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()',
    );
    return Number(rows[0]?.xact_commit);
  };
  try {
    const before = await commits();
    for (let n = 0; n < VIEWS; n += 1) await get(node, '/');
    return ((await commits()) - before) / VIEWS;
  } finally {
    await client.end();
  }
}
