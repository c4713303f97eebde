import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NodeApiKeySecrets } from '@pinfold/platform-node';
import pg from 'pg';
import { type PostgresServer, startPostgres } from 'pinfold-test-servers';
import { load } from '../lib/load.ts';
import { type PinfoldServer, startPinfold } from '../lib/pinfold.ts';
import { cpuSeconds, hold } from '../lib/process-figures.ts';
import type { Row } from '../lib/report.ts';
import { startBenchS3 } from '../lib/s3.ts';
import { smallPages, zipOf } from '../lib/sites.ts';
import { inRounds, median } from '../lib/statistics.ts';
import { urlOf } from './growth-ground.ts';
import { post } from './uploads.ts';

const ROUNDS = 5;
const SECONDS = 4;
const PUBLISHERS = 4;

/** How many processes serve. */
const COUNTS = { one: 1, two: 2, four: 4 };
type Count = keyof typeof COUNTS;
const NAMES = Object.keys(COUNTS) as Count[];

/** The part of a core that a server may spend, so small that four of them leave the rest of the machine idle. */
const PART = 1 / 8;

/** The parties whose processor time is counted beside the load's. */
const PARTIES = ['servers', 'PostgreSQL', 'S3'] as const;
type Party = (typeof PARTIES)[number];

/** Processes of one service on PostgreSQL and S3, and whose they are. */
interface Service {
  readonly servers: readonly PinfoldServer[];
  readonly pids: Readonly<Record<Party, readonly number[]>>;
}

/** Does something to one server for some seconds; returns how often it was done in a second. */
type Deed = (server: PinfoldServer) => Promise<number>;

/** What two and four processes on the same PostgreSQL and S3 server add, and who spent the processors' time. */
export async function processesRows(folder: string): Promise<readonly Row[]> {
  // Only there the system tells what every process spent.
  if (process.platform !== 'linux') return [];
  const engine = await startPostgres();
  const s3 = await startBenchS3(undefined);
  const environment = {
    ...s3.settings,
    PINFOLD_DATABASE_URL: urlOf(engine),
    PINFOLD_API_KEY: new NodeApiKeySecrets().mint().text,
    PINFOLD_SECRET: 'the secret of all the nodes',
  };
  const servers: PinfoldServer[] = [];
  try {
    for (let n = 0; n < COUNTS.four; n += 1) {
      servers.push(await startPinfold(join(folder, `process ${n}`), environment, { core: undefined }));
    }
    const pids = {
      servers: servers.map(({ pid }) => pid),
      PostgreSQL: [await postmasterOf(engine)],
      S3: [s3.pid],
    };
    const archive = zipOf(smallPages(20));
    const id = await (servers[0] as PinfoldServer).publish(archive, 'viewed');
    const deeds: Readonly<Record<string, Deed>> = {
      views: (server) => view(server, id),
      publications: (server) => publish(server, archive),
    };
    const rows: Row[] = [];
    for (const [what, deed] of Object.entries(deeds)) {
      for (const server of servers) await deed(server);
      rows.push(...(await heldRows(what, { servers, pids }, deed)));
      rows.push(...(await freeRows(what, { servers, pids }, deed)));
    }
    return rows;
  } finally {
    for (const server of servers) await server.stop();
    await s3.stop();
    await engine.stop();
  }
}

/** How throughput grows where every process has its part of a core, however many there are. */
async function heldRows(what: string, service: Service, deed: Deed): Promise<readonly Row[]> {
  const { rates, spentBy } = await grown(service, deed, PART);
  const perDeed = spentBy((cpu, rate) => cpu / rate);
  const total = (count: Count) =>
    PARTIES.reduce((sum, party) => sum + median(perDeed[`${party} ${count}`] ?? [0]), 0);
  const named = `${what}/s, COUNT processes, each held to an eighth of a core`;
  const row = (count: Count): Row => ({
    what: named.replace('COUNT', count),
    figure: median(rates[count]) / median(rates.one),
    unit: '× one',
    values: rates,
  });
  return [
    { ...row('two'), goal: { atLeast: 1.7 } },
    row('four'),
    {
      what: `processor time for ${what}, four processes: servers, PostgreSQL and S3`,
      figure: total('four') / total('one'),
      unit: '× one process',
      values: perDeed,
    },
  ];
}

/** How it grows where all processes, PostgreSQL, S3 and the load share the cores of this machine. */
async function freeRows(what: string, service: Service, deed: Deed): Promise<readonly Row[]> {
  const { rates, spentBy } = await grown(service, deed, undefined);
  const cores = spentBy((cpu) => cpu / 1_000);
  return [
    {
      what: `${what}/s, two processes that share the cores with PostgreSQL, S3 and the load`,
      figure: median(rates.two) / median(rates.one),
      unit: '× one',
      values: rates,
    },
    {
      what: `cores that one process had for ${what} meanwhile`,
      figure: median(cores['servers one'] ?? []),
      unit: 'cores',
      values: cores,
    },
  ];
}

/** What each party spent while some servers were asked: milliseconds a second, and the deeds of that second. */
interface Spent {
  readonly rate: number;
  readonly cpu: Readonly<Record<Party, number>>;
}

interface Grown {
  readonly rates: Readonly<Record<Count, number[]>>;
  /** A value of each party that spent something most of the time and each count of processes, as `servers two`. */
  spentBy(value: (cpu: number, rate: number) => number): Readonly<Record<string, number[]>>;
}

async function grown(service: Service, deed: Deed, part: number | undefined): Promise<Grown> {
  const spent: Record<Count, Spent[]> = { one: [], two: [], four: [] };
  const measure = (count: Count) => async () => {
    const measured = await spentOn(service, COUNTS[count], deed, part);
    spent[count].push(measured);
    return measured.rate;
  };
  const rates = await inRounds({ one: measure('one'), two: measure('two'), four: measure('four') }, ROUNDS);
  const all = Object.values(spent).flat();
  const parties = PARTIES.filter((party) => median(all.map(({ cpu }) => cpu[party])) > 0);
  const spentBy: Grown['spentBy'] = (value) =>
    Object.fromEntries(
      parties.flatMap((party) =>
        NAMES.map((count) => [
          `${party} ${count}`,
          spent[count].map(({ cpu, rate }) => value(cpu[party], rate)),
        ]),
      ),
    );
  return { rates, spentBy };
}

async function spentOn(
  { servers, pids }: Service,
  count: number,
  deed: Deed,
  part: number | undefined,
): Promise<Spent> {
  const asked = servers.slice(0, count);
  const release = part === undefined ? () => {} : hold(pids.servers.slice(0, count), part);
  const cpuOf = (party: Party) => pids[party].reduce((sum, pid) => sum + cpuSeconds(pid) * 1_000, 0);
  try {
    const [before, start] = [PARTIES.map(cpuOf), performance.now()];
    const rates = await Promise.all(asked.map(deed));
    const seconds = (performance.now() - start) / 1_000;
    const spent = PARTIES.map((party, n) => [party, (cpuOf(party) - (before[n] ?? 0)) / seconds]);
    return { rate: rates.reduce((sum, rate) => sum + rate, 0), cpu: Object.fromEntries(spent) };
  } finally {
    release();
  }
}

async function view({ port, hostOf }: PinfoldServer, id: string): Promise<number> {
  // Spelled as wrk looks for it, which adds one of its own beside any other.
  const headers = { Host: hostOf(id), 'accept-encoding': 'gzip' };
  return (await load({ url: `http://127.0.0.1:${port}/`, headers }, SECONDS)).requests;
}

async function publish(server: PinfoldServer, archive: Uint8Array<ArrayBuffer>): Promise<number> {
  const start = performance.now();
  const end = start + SECONDS * 1_000;
  let count = 0;
  const publisher = async () => {
    while (performance.now() < end) {
      await post(server, archive);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: PUBLISHERS }, publisher));
  return (count / (performance.now() - start)) * 1_000;
}

/** The process of PostgreSQL whose children serve the connections. */
async function postmasterOf({ address }: PostgresServer): Promise<number> {
  const client = new pg.Client({ ...address });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const [parent] = /(?<=^PPid:\s+)\d+/m.exec(readFileSync(`/proc/${rows[0]?.pid}/status`, 'utf8')) ?? [];
  await client.end();
  return Number(parent);
}
