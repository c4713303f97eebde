import { execFileSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type PinfoldServer, startPinfold } from '../lib/pinfold.ts';
import { cpuSeconds } from '../lib/process-usage.ts';
import { EVERY_CORE, keepTo, LOAD_CORE, type RunningServer } from '../lib/processes.ts';
import { type Row, reportParts } from '../lib/report.ts';
import { filledSite, type Site, swaggerSite, zipOf } from '../lib/sites.ts';
import { compared, inRounds } from '../lib/statistics.ts';
import { inFolder, startPeer } from '../lib/views.ts';
import { bombRow, memoryRows } from './publishing-bounds.ts';
import { commandRows } from './publishing-command.ts';
import { costRows } from './publishing-costs.ts';
import { objectRows } from './publishing-objects.ts';
import { throughputRows } from './publishing-throughput.ts';
import { post, type UploadTarget } from './uploads.ts';

const ROUNDS = 7;
/** For tasks of milliseconds. */
const MANY = 63;
/** Publications before the first round: V8 has compiled most of the code of each server by then. */
const WARM = 60;
const MiB = 1_048_576;
/** The maximum processor time of 15 files, relative to the floor: the highest measured, plus a fifth. */
const BUDGET = 2.2;

/** Time to 201 and throughput, compared with the floor and with common alternatives; `--only PART` for one part. */
export async function run(): Promise<void> {
  keepTo(LOAD_CORE);
  await inFolder(async (folder, running) => {
    const pinfold = await startPinfold(join(folder, 'data'));
    running.push(pinfold);
    const everyCore = await startPinfold(join(folder, 'data of the second'), {}, { core: EVERY_CORE });
    running.push(everyCore);
    const start = async (name: string): Promise<{ readonly port: number; readonly pid: number }> => {
      const ROOT = join(folder, name);
      await mkdir(ROOT);
      const { server, port } = await startPeer(name, folder, { ROOT });
      running.push(server);
      return { port, pid: server.pid };
    };
    const counted = await start('floor');
    const floor = counted.port;
    const { port: handler } = await start('unzip-handler');
    const sites = await archives();
    const middle = zipOf(sites['500 files / 10 MiB'] as Site);
    await reportParts('publishing', {
      times: async () => {
        const rows: Row[] = [];
        for (const [name, site] of Object.entries(sites)) {
          rows.push(...(await timeRows(name, zipOf(site), { pinfold, everyCore, floor, handler }, folder)));
        }
        return rows;
      },
      costs: () => costRows(folder, counted, running),
      command: () => commandRows(folder, running),
      throughput: () => throughputRows(middle, pinfold, handler, ROUNDS),
      replay: async () => [await replayRow(middle, pinfold, floor)],
      bounds: async () => {
        for (const server of running.splice(0)) await server.stop();
        return [...(await memoryRows(folder)), await bombRow(folder), ...(await objectRows(folder))];
      },
    });
  });
}

/** The CPU of a small site's publication. */
export async function publicationBudget(folder: string, running: RunningServer[]): Promise<Row> {
  keepTo(LOAD_CORE);
  const ROOT = join(folder, 'floor');
  await mkdir(ROOT);
  const pinfold = await startPinfold(join(folder, 'published'));
  const { server, port } = await startPeer('floor', folder, { ROOT });
  running.push(pinfold, server);
  const archive = zipOf(await swaggerSite());
  const cpuOf = (pid: number, target: UploadTarget) => async (): Promise<number> => {
    const before = cpuSeconds(pid);
    for (let n = 0; n < MANY; n += 1) await post(target, archive);
    return ((cpuSeconds(pid) - before) * 1_000) / MANY;
  };
  const candidates = { pinfold: cpuOf(pinfold.pid, pinfold), floor: cpuOf(server.pid, { port }) };
  for (const warmUp of Object.values(candidates)) await warmUp();
  const values = await inRounds(candidates, ROUNDS);
  const figure = compared(values.pinfold, values.floor);
  return { what: 'CPU of 15 files published', figure, unit: '× floor', goal: { atMost: BUDGET }, values };
}

async function archives(): Promise<Readonly<Record<string, Site>>> {
  return {
    '15 files / 1.2 MB': await swaggerSite(),
    '500 files / 10 MiB': filledSite(500, 10 * MiB - 200_000, 12 * MiB),
    'expanding to 50 MiB': filledSite(500, 5 * MiB, 50 * MiB - 1_000),
  };
}

async function timeRows(
  name: string,
  archive: Uint8Array<ArrayBuffer>,
  {
    pinfold,
    everyCore,
    floor,
    handler,
  }: { pinfold: PinfoldServer; everyCore: PinfoldServer; floor: number; handler: number },
  folder: string,
): Promise<readonly Row[]> {
  const file = join(folder, 'site.zip');
  await writeFile(file, archive);
  let count = 0;
  const unpack = async () => {
    const start = performance.now();
    count += 1;
    const target = join(folder, `unzipped-${count}`);
    execFileSync('sh', ['-c', `unzip -q "${file}" -d "${target}" && sync`]);
    const taken = performance.now() - start;
    await rm(target, { recursive: true });
    return taken;
  };
  const servers = {
    pinfold: () => post(pinfold, archive),
    'pinfold on every core': () => post(everyCore, archive),
    floor: () => post({ port: floor }, archive),
    'unzip handler': () => post({ port: handler }, archive),
  };
  await warm(servers);
  const rounds = name.startsWith('15') ? MANY : ROUNDS * 3;
  // Each ratio has separate rounds: a third server would take the caches, and `sync` the disk, from the next one.
  const row = async (who: 'pinfold' | 'pinfold on every core', other: string, one: () => Promise<number>) => {
    const values = await inRounds({ [who]: servers[who], [other]: one }, rounds);
    const figure = compared(values[who] ?? [], values[other] ?? []);
    const what = `time to 201, ${name}${who === 'pinfold' ? '' : ', the server on every core'}`;
    return { what, figure, unit: `× ${other}`, values };
  };
  // Small archives have goals of CPU.
  const goal = name.startsWith('15') ? {} : { goal: { atMost: 1.2 } };
  return [
    { ...(await row('pinfold', 'floor', servers.floor)), ...goal },
    { ...(await row('pinfold on every core', 'floor', servers.floor)), ...goal },
    {
      ...(await row('pinfold', 'unzip + sync', unpack)),
      ...(name.startsWith('500') ? { goal: { atMost: 0.4 } } : {}),
    },
    await row('pinfold', 'unzip handler', servers['unzip handler']),
  ];
}

async function warm(candidates: Readonly<Record<string, () => Promise<number>>>): Promise<void> {
  for (let n = 0; n < WARM; n += 1) for (const candidate of Object.values(candidates)) await candidate();
}

async function replayRow(
  archive: Uint8Array<ArrayBuffer>,
  pinfold: PinfoldServer,
  floor: number,
): Promise<Row> {
  const candidates = {
    replay: () => post(pinfold, archive, 'replayed'),
    'receive + SHA-256': () => post({ port: floor, path: '/receive' }, archive),
  };
  await warm(candidates);
  const values = await inRounds(candidates, MANY);
  const figure = compared(values.replay, values['receive + SHA-256'], (one, other) => one - other);
  return {
    what: 'replay of a complete key, over receive + SHA-256',
    figure,
    unit: 'ms',
    goal: { atMost: 2 },
    values,
  };
}
