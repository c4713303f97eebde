// A node on PostgreSQL beside one on SQLite.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { postgresUrl, startPostgres } from 'pinfold-test-servers';
import { CONNECTIONS, load } from '../lib/load.ts';
import { startPinfold } from '../lib/pinfold.ts';
import { cpuSeconds } from '../lib/process-usage.ts';
import type { RunningServer } from '../lib/processes.ts';
import type { Row } from '../lib/report.ts';
import { smallPages, zipOf } from '../lib/sites.ts';
import { median } from '../lib/statistics.ts';
import { type Candidate, get, measured, ROUNDS, rowsOf, SECONDS, target, waitRows } from '../lib/views.ts';

/** One node on PostgreSQL compared with one on SQLite, both as shipped, and the load of its views on the database. */
export async function postgresRows(
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
    const rows = [
      ...(await viewRows([sqlite, node], postgres.address, 1)),
      ...(await viewRows([sqlite, node], postgres.address, CONNECTIONS)),
    ];
    const figure = await statementsPerView(postgres.address, node);
    running.splice(running.indexOf(server), 1);
    await server.stop();
    const what = 'small page: on PostgreSQL, statements a view';
    return [...rows, { what, figure, unit: 'statements', goal: { atMost: 1.05 } }];
  } finally {
    await postgres.stop();
  }
}

/** Rates, and the CPU of Node and PostgreSQL, for a number of connections. */
async function viewRows(
  candidates: readonly Candidate[],
  address: pg.ClientConfig,
  connections: number,
): Promise<readonly Row[]> {
  const isMany = connections > 1;
  const what = `small page, ${connections} connection${isMany ? 's' : ''}`;
  const pid = await postmasterOf(address);
  const aim = (candidate: Candidate) => target(candidate, '/');
  const values = await measured(candidates, aim, 'requests', connections);
  const own: number[] = [];
  const node = candidates[1] as Candidate;
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = cpuSeconds(pid);
    const { requests } = await load(aim(node), SECONDS, connections);
    own.push(((cpuSeconds(pid) - before) * 1e6) / (requests * SECONDS));
  }
  return [
    ...rowsOf(what, values, [['on PostgreSQL', 'pinfold', isMany ? 0.6 : undefined]]),
    ...waitRows(what, values, 'on PostgreSQL'),
    {
      what: `${what}: on PostgreSQL, CPU of PostgreSQL`,
      figure: median(own),
      unit: 'µs a view',
      ...(isMany ? { goal: { atMost: 5 } } : {}),
      values: { 'on PostgreSQL': own },
    },
  ];
}

/** The parent of all other processes of the server. */
async function postmasterOf(address: pg.ClientConfig): Promise<number> {
  const client = new pg.Client(address);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const parent = /^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${rows[0]?.pid}/status`, 'utf8'));
  await client.end();
  return Number(parent?.[1]);
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
