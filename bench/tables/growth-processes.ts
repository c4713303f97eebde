import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NodeApiKeySecrets } from '@pinfold/platform-node';
import pg from 'pg';
import { type PostgresServer, startPostgres } from 'pinfold-test-servers';
import { type GrowthServer, startGrowthServer, startTalking } from '../lib/growth-server.ts';
import { load } from '../lib/load.ts';
import { stop } from '../lib/processes.ts';
import type { Row } from '../lib/report.ts';
import { smallPages, zipOf } from '../lib/sites.ts';
import { inRounds, median } from '../lib/statistics.ts';
import { cpuOf, hold } from './growth-cpu.ts';
import { urlOf } from './growth-ground.ts';
import { post, send } from './uploads.ts';

const ROUNDS = 5;
const SECONDS = 4;
const PUBLISHERS = 4;

/** How many processes serve. */
const COUNTS = { one: 1, two: 2, four: 4 };
type Count = keyof typeof COUNTS;
const NAMES = Object.keys(COUNTS) as Count[];

/** The part of a core that a server may spend, so small that four of them leave the rest of the machine idle. */
const PART = 1 / 8;

/** Whose processor time is counted beside the load's. */
const NOTHING = { servers: 0, PostgreSQL: 0, S3: 0 };
type Who = keyof typeof NOTHING;

/** Processes of one service on PostgreSQL and S3, and whose they are. */
interface Service {
  readonly servers: readonly GrowthServer[];
  readonly pids: Readonly<Record<Who, readonly number[]>>;
}

/** Does something to one server for some seconds; answers how often it was done in a second. */
type Deed = (server: GrowthServer) => Promise<number>;

/** What two and four processes on the same PostgreSQL and S3 server add, and who spent the processors' time. */
export async function processesRows(folder: string): Promise<readonly Row[]> {
  // Only there the system tells what every process spent.
  if (process.platform !== 'linux') return [];
  const engine = await startPostgres();
  const { child: s3, said } = await startTalking('s3.ts', undefined, {});
  const { endpoint } = said as { readonly endpoint: string };
  const environment = {
    PINFOLD_DATABASE_URL: urlOf(engine),
    PINFOLD_STORAGE_URL: `s3://bench/sites?endpoint=${encodeURIComponent(endpoint)}`,
    PINFOLD_API_KEY: new NodeApiKeySecrets().mint().text,
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'a secret that no one checks',
  };
  const servers: GrowthServer[] = [];
  try {
    for (let n = 0; n < COUNTS.four; n += 1) {
      servers.push(await startGrowthServer(join(folder, `process ${n}`), environment, undefined));
    }
    const pids = {
      servers: servers.map(pidOf),
      PostgreSQL: [await postmasterOf(engine)],
      S3: [s3.pid ?? 0],
    };
    const service = { servers, pids };
    const archive = zipOf(smallPages(20));
    const { pin } = JSON.parse((await send(servers[0] as GrowthServer, archive, 'viewed')).body);
    const deeds: Readonly<Record<string, Deed>> = {
      views: (server) => view(server, pin.id),
      publications: (server) => publish(server, archive),
    };
    const rows: Row[] = [];
    for (const [what, deed] of Object.entries(deeds)) {
      for (const server of servers) await deed(server);
      rows.push(...(await heldRows(what, service, deed)), ...(await freeRows(what, service, deed)));
    }
    return rows;
  } finally {
    for (const server of servers) await server.stop();
    await stop(s3);
    await engine.stop();
  }
}

/** How throughput grows where every process has its part of a core, however many there are. */
async function heldRows(what: string, service: Service, deed: Deed): Promise<readonly Row[]> {
  const { rates, spent } = await grown(service, deed, PART);
  const row = (count: Count, goal: Pick<Row, 'goal'>): Row => ({
    what: `${what}/s, ${count} processes, each held to an eighth of a core`,
    figure: median(rates[count]) / median(rates.one),
    unit: '× one',
    ...goal,
    values: rates,
  });
  const perDeed = spentBy(spent, (cpu, rate) => cpu / rate);
  const total = (count: Count) => {
    const parts = Object.entries(perDeed).filter(([name]) => name.endsWith(` ${count}`));
    return parts.reduce((sum, [, values]) => sum + median(values), 0);
  };
  return [
    row('two', { goal: { atLeast: 1.7 } }),
    row('four', {}),
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
  const { rates, spent } = await grown(service, deed, undefined);
  const cores = spentBy(spent, (cpu) => cpu / 1_000);
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

/** What everyone spent while some servers were asked: milliseconds a second, and the deeds of that second. */
interface Spent {
  readonly rate: number;
  readonly cpu: Readonly<Record<Who, number>>;
}

interface Grown {
  readonly rates: Readonly<Record<Count, number[]>>;
  readonly spent: Readonly<Record<Count, Spent[]>>;
}

async function grown(service: Service, deed: Deed, part: number | undefined): Promise<Grown> {
  const spent: Record<Count, Spent[]> = { one: [], two: [], four: [] };
  const measure = (count: Count) => async () => {
    const measured = await spentOn(service, COUNTS[count], deed, part);
    spent[count].push(measured);
    return measured.rate;
  };
  const candidates = { one: measure('one'), two: measure('two'), four: measure('four') };
  return { rates: await inRounds(candidates, ROUNDS), spent };
}

async function spentOn(
  { servers, pids }: Service,
  count: number,
  deed: Deed,
  part: number | undefined,
): Promise<Spent> {
  const asked = servers.slice(0, count);
  const release = part === undefined ? () => {} : hold(asked.map(pidOf), part);
  try {
    const [before, start] = [cpuOfAll(pids), performance.now()];
    const rates = await Promise.all(asked.map(deed));
    const [after, seconds] = [cpuOfAll(pids), (performance.now() - start) / 1_000];
    const cpu = { ...NOTHING };
    for (const who of Object.keys(cpu) as Who[]) cpu[who] = (after[who] - before[who]) / seconds;
    return { rate: rates.reduce((sum, rate) => sum + rate, 0), cpu };
  } finally {
    release();
  }
}

function cpuOfAll(pids: Service['pids']): Record<Who, number> {
  const sum = (who: Who) => pids[who].reduce((total, pid) => total + cpuOf(pid), 0);
  return { servers: sum('servers'), PostgreSQL: sum('PostgreSQL'), S3: sum('S3') };
}

/** A value of each who spent something most of the time, for each count of processes, by names as `servers two`. */
function spentBy(
  spent: Grown['spent'],
  value: (cpu: number, rate: number) => number,
): Readonly<Record<string, number[]>> {
  const all = Object.values(spent).flat();
  const parties = (Object.keys(NOTHING) as Who[]).filter((who) => median(all.map(({ cpu }) => cpu[who])) > 0);
  const named = parties.flatMap((who) =>
    NAMES.map((count) => [`${who} ${count}`, spent[count].map(({ cpu, rate }) => value(cpu[who], rate))]),
  );
  return Object.fromEntries(named);
}

async function view(server: GrowthServer, id: string): Promise<number> {
  // Spelled as wrk looks for it, which adds one of its own beside any other.
  const headers = { Host: `${id}.localhost:${server.port}`, 'accept-encoding': 'gzip' };
  const target = { url: `http://127.0.0.1:${server.port}/`, headers, status: 200 };
  return (await load(target, SECONDS)).requests;
}

async function publish(server: GrowthServer, archive: Uint8Array<ArrayBuffer>): Promise<number> {
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

function pidOf({ process: { pid } }: GrowthServer): number {
  if (pid === undefined) throw new Error('a server has ended');
  return pid;
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
