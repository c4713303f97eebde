import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NodeApiKeySecrets } from '@pinfold/platform-node';
import { startPostgres } from 'pinfold-test-servers';
import { type GrowthServer, startGrowthServer, startTalking } from '../lib/growth-server.ts';
import { load } from '../lib/load.ts';
import { stop } from '../lib/processes.ts';
import type { Row } from '../lib/report.ts';
import { smallPages, zipOf } from '../lib/sites.ts';
import { inRounds, median } from '../lib/statistics.ts';
import { urlOf } from './growth-ground.ts';
import { postMany, send } from './uploads.ts';

const ROUNDS = 5;
const SECONDS = 4;

/** What a second process on the same PostgreSQL and S3 server adds. Where cores are few, all of them share them. */
export async function processesRows(folder: string): Promise<readonly Row[]> {
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
    for (const name of ['one', 'two']) {
      servers.push(await startGrowthServer(join(folder, name), environment, undefined));
    }
    const archive = zipOf(smallPages(20));
    const id = JSON.parse((await send(servers[0] as GrowthServer, archive, 'viewed')).body).pin.id as string;
    const viewed = await grown('views/s', servers, (server) => views(server, id));
    const published = await grown('publications/s', servers, (server) => postMany(server, archive, 4, 15));
    return [viewed, published, ...(await busyRow(servers, id))];
  } finally {
    for (const server of servers) await server.stop();
    await stop(s3);
    await engine.stop();
  }
}

async function views(server: GrowthServer, id: string): Promise<number> {
  const headers = { host: `${id}.localhost:${server.port}`, 'accept-encoding': 'gzip' };
  const target = { url: `http://127.0.0.1:${server.port}/`, headers, status: 200 };
  return (await load(target, SECONDS)).requests;
}

async function grown(
  what: string,
  servers: readonly GrowthServer[],
  measure: (server: GrowthServer) => Promise<number>,
): Promise<Row> {
  const [one] = servers as [GrowthServer];
  for (const server of servers) await measure(server);
  const together = async (): Promise<number> =>
    (await Promise.all(servers.map(measure))).reduce((sum, figure) => sum + figure, 0);
  const values = await inRounds({ one: () => measure(one), two: together }, ROUNDS);
  const figure = median(values.two) / median(values.one);
  return {
    what: `${what}, two processes on PostgreSQL and S3`,
    figure,
    unit: '× one',
    goal: { atLeast: 1.7 },
    values,
  };
}

/** How much of a core each server had while two were viewed: what of this was bound by the machine. */
async function busyRow(servers: readonly GrowthServer[], id: string): Promise<readonly Row[]> {
  if (process.platform !== 'linux') return [];
  const before = await Promise.all(servers.map(ticksOf));
  await Promise.all(servers.map((server) => views(server, id)));
  const after = await Promise.all(servers.map(ticksOf));
  const cores = after.map((ticks, n) => (ticks - (before[n] ?? 0)) / 100 / SECONDS);
  const figure = cores.reduce((sum, core) => sum + core, 0);
  return [
    {
      what: 'cores that the two servers had while both were viewed',
      figure,
      unit: 'cores',
      values: { cores },
    },
  ];
}

/** Hundredths of a second of processor time (proc(5), `stat`: utime and stime). */
async function ticksOf({ process: { pid } }: GrowthServer): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /s, '').split(' ');
  return Number(fields[11]) + Number(fields[12]);
}
