import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type PinfoldServer, startPinfold } from '../lib/pinfold.ts';
import { cpuMilliseconds } from '../lib/process-usage.ts';
import type { RunningServer } from '../lib/processes.ts';
import type { Row } from '../lib/report.ts';
import { filledSite, type Site, smallPages, swaggerSite, zipOf } from '../lib/sites.ts';
import { compared, inRounds, median } from '../lib/statistics.ts';
import { post, type UploadTarget } from './uploads.ts';

const ROUNDS = 9;
const SECONDS = 1;
const PUBLISHERS = 16;
const MiB = 1_048_576;
/** A frame of SQLite's log has a header of 24 bytes before its page. */
const FRAME_HEADER = 24;

/** A server under measurement. */
interface Measured extends UploadTarget {
  readonly pid: number;
}

interface Cost {
  readonly site: () => Promise<Site> | Site;
  /** Publications before the first round, after which V8 has compiled most of the code of each server. */
  readonly warm: number;
  readonly goal: number;
  /** Whether libuv's threads count: above some MB the kernel's writeback decides their time. */
  readonly withWrites: boolean;
}

const COSTS: Readonly<Record<string, Cost>> = {
  '1 page / 1 KB': { site: () => smallPages(1), warm: 5_000, goal: 5, withWrites: true },
  '15 files / 1.2 MB': { site: swaggerSite, warm: 400, goal: 1.7, withWrites: true },
  '500 files / 10 MiB': {
    site: () => filledSite(500, 10 * MiB - 200_000, 12 * MiB),
    warm: 60,
    goal: 1.4,
    withWrites: false,
  },
  'expanding to 50 MiB': {
    site: () => filledSite(500, 5 * MiB, 50 * MiB - 1_000),
    warm: 60,
    goal: 1.4,
    withWrites: false,
  },
  '5,000 files / 5 MB': { site: () => smallPages(5_000), warm: 60, goal: 1.7, withWrites: true },
};

/**
 * The processor time of a publication in all threads of the server, compared with that of the floor. With `--before FOLDER`
 * another checkout takes part in every round.
 */
export async function costRows(
  folder: string,
  floor: Measured,
  running: RunningServer[],
): Promise<readonly Row[]> {
  const { before } = parseArgs({
    args: process.argv.slice(3),
    options: { before: { type: 'string' }, only: { type: 'string' } },
  }).values;
  const pinfold = await startCounted(join(folder, 'costs'));
  const earlier = before === undefined ? undefined : await startCounted(join(folder, 'before'), before);
  running.push(pinfold, ...(earlier === undefined ? [] : [earlier]));
  const servers = { pinfold, floor, ...(earlier === undefined ? {} : { before: earlier }) };
  const rows: Row[] = [];
  for (const [name, cost] of Object.entries(COSTS)) {
    rows.push(...(await rowsOfCost(name, cost, servers)));
  }
  rows.push(...(await onePageRows(servers, join(folder, 'costs'))));
  return rows;
}

function startCounted(folder: string, checkout?: string): Promise<PinfoldServer> {
  const more = { PINFOLD_FILES: '10000' };
  const options = { log: `${folder}.log`, ...(checkout === undefined ? {} : { checkout }) };
  return startPinfold(folder, more, options);
}

async function rowsOfCost(
  name: string,
  { site, warm, goal, withWrites }: Cost,
  servers: Readonly<Record<string, Measured>>,
): Promise<readonly Row[]> {
  const archive = zipOf(await site());
  const times: Record<string, number[]> = {};
  const cpu: Record<string, number[]> = {};
  const candidates = Object.fromEntries(
    Object.entries(servers).map(([who, server]) => {
      const [ownTimes, ownCpu]: [number[], number[]] = [[], []];
      times[who] = ownTimes;
      cpu[who] = ownCpu;
      const once = async (): Promise<number> => {
        const spent = cpuMilliseconds(server.pid, withWrites);
        const taken: number[] = [];
        for (const end = performance.now() + SECONDS * 1_000; performance.now() < end; )
          taken.push(await post(server, archive));
        ownTimes.push(median(taken));
        const each = (cpuMilliseconds(server.pid, withWrites) - spent) / taken.length;
        ownCpu.push(each);
        return each;
      };
      return [who, once];
    }),
  );
  for (const server of Object.values(servers)) {
    for (let n = 0; n < warm; n += 1) await post(server, archive);
  }
  await inRounds(candidates, ROUNDS);
  const what = `CPU${withWrites ? '' : " without libuv's threads"}, ${name}`;
  const ofTime = `time to 201, ${name}, beside its CPU`;
  return [
    { what, figure: compared(cpu.pinfold, cpu.floor), unit: '× floor', goal: { atMost: goal }, values: cpu },
    { what: ofTime, figure: compared(times.pinfold, times.floor), unit: '× floor', values: times },
  ];
}

/** The bytes that publishing one page writes to SQLite's log, and the rate of 16 publishers. */
async function onePageRows(
  servers: Readonly<Record<string, Measured>>,
  data: string,
): Promise<readonly Row[]> {
  const archive = zipOf(smallPages(1));
  const { pinfold } = servers;
  const logs: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = framesIn(data);
    for (let n = 0; n < 20; n += 1) await post(pinfold as Measured, archive);
    const end = framesIn(data);
    // A log that was restarted meanwhile is not a result.
    if (end.count > start.count)
      logs.push(((end.count - start.count) * (end.pageBytes + FRAME_HEADER)) / 20 / 1_024);
  }
  const rates = Object.fromEntries(
    Object.entries(servers).map(([who, server]) => [who, () => rateOf(server, archive)] as const),
  );
  for (const warm of Object.values(rates)) await warm();
  const values = await inRounds(rates, ROUNDS);
  const what = `publications/s of one page, ${PUBLISHERS} publishers`;
  const row = (other: string): Row => ({
    what,
    figure: compared(values.pinfold, values[other]),
    unit: `× ${other}`,
    values,
  });
  return [
    {
      what: "SQLite's log of one page published",
      figure: median(logs),
      unit: 'KiB',
      goal: { atMost: 64 },
      values: { pinfold: logs },
    },
    row('floor'),
    ...(servers.before === undefined ? [] : [{ ...row('before'), goal: { atLeast: 2 } }]),
  ];
}

async function rateOf(server: Measured, archive: Uint8Array<ArrayBuffer>): Promise<number> {
  const start = performance.now();
  let count = 0;
  const publisher = async (): Promise<void> => {
    while (performance.now() < start + SECONDS * 1_000) {
      await post(server, archive);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: PUBLISHERS }, publisher));
  return count / ((performance.now() - start) / 1_000);
}

/** The frames in the log of a database, by the index of it (SQLite, "WAL-mode File Format", section 2.1). */
function framesIn(data: string): { readonly count: number; readonly pageBytes: number } {
  const index = readFileSync(join(data, 'pinfold.sqlite-shm'));
  return { count: index.readUInt32LE(16), pageBytes: index.readUInt16LE(14) };
}
