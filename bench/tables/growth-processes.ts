import { join } from 'node:path';
import { NodeApiKeySecrets } from '@pinfold/platform-node';
import { postgresUrl, startPostgres } from 'pinfold-test-servers';
import { load } from '../lib/load.ts';
import { type PinfoldServer, startPinfold } from '../lib/pinfold.ts';
import { hold } from '../lib/process-usage.ts';
import type { Row } from '../lib/report.ts';
import { startBenchS3 } from '../lib/s3.ts';
import { smallPages, zipOf } from '../lib/sites.ts';
import { comparedRow } from '../lib/statistics.ts';
import { post } from './uploads.ts';

const ROUNDS = 5;
const SECONDS = 4;
const PUBLISHERS = 4;
/** The part of a core that a server may use, so small that two of them leave the rest of the machine idle. */
const PART = 1 / 8;

/** The gain of a second process on the same PostgreSQL and S3 server. */
export async function processesRows(folder: string): Promise<readonly Row[]> {
  // Only Linux reports the processor time of a process.
  if (process.platform !== 'linux') return [];
  const engine = await startPostgres();
  const s3 = await startBenchS3(undefined);
  const environment = {
    ...s3.settings,
    PINFOLD_DATABASE_URL: postgresUrl(engine.address),
    PINFOLD_API_KEY: new NodeApiKeySecrets().mint().text,
    PINFOLD_SECRET: 'the secret of all the nodes',
  };
  const servers: PinfoldServer[] = [];
  try {
    for (const name of ['one', 'two']) {
      servers.push(await startPinfold(join(folder, name), environment, { core: undefined }));
    }
    const archive = zipOf(smallPages(20));
    const id = await (servers[0] as PinfoldServer).publish(archive, 'viewed');
    return [
      await rowOf('views', servers, (server) => view(server, id)),
      await rowOf('publications', servers, (server) => publish(server, archive)),
    ];
  } finally {
    for (const server of servers) await server.stop();
    await s3.stop();
    await engine.stop();
  }
}

/** The rate of two servers compared with that of one, each limited to its part of a core. */
function rowOf(
  what: string,
  servers: readonly PinfoldServer[],
  rateOf: (server: PinfoldServer) => Promise<number>,
): Promise<Row> {
  const rateWith = (count: number) => async (): Promise<number> => {
    const measured = servers.slice(0, count);
    const release = hold(
      measured.map(({ pid }) => pid),
      PART,
    );
    const rates = await Promise.all(measured.map(rateOf)).finally(release);
    return rates.reduce((sum, rate) => sum + rate, 0);
  };
  const row = { what: `${what}/s, two processes, each held to an eighth of a core`, unit: '× one' };
  const candidates = { two: rateWith(2), one: rateWith(1) };
  return comparedRow({ ...row, goal: { atLeast: 1.7 } }, candidates, ROUNDS);
}

async function view({ port, hostOf }: PinfoldServer, id: string): Promise<number> {
  // In the spelling that wrk recognizes; otherwise wrk adds its own header.
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
