// A disk that takes 10 ms more for each flush: whether views wait for it, and how much is published.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { askEvenly } from '../lib/even-load.ts';
import { agent, askWell } from '../lib/http.ts';
import { type PinfoldServer, startPinfold } from '../lib/pinfold.ts';
import { isThere, keepTo, LOAD_CORE } from '../lib/processes.ts';
import { inTemporaryFolder, print, type Row, report } from '../lib/report.ts';
import { smallPages, zipOf } from '../lib/sites.ts';
import { compared, inRounds } from '../lib/statistics.ts';
import { postMany } from './uploads.ts';

/** Microseconds more of each flush. */
const SLOWER = 10_000;
const ROUNDS = 5;
const VIEWS = { rate: 1_000, connections: 16, seconds: 3 };
const CHANGES_A_SECOND = 20;
const PUBLISHERS = 16;
const EACH = 8;

/** `--before FOLDER` lets another installed checkout publish beside this one. It needs a compiler: `cc`. */
export async function run(): Promise<void> {
  const { before } = parseArgs({
    args: process.argv.slice(3),
    options: { before: { type: 'string' } },
  }).values;
  if (!isThere('cc')) throw new Error('a compiler is missing: cc');
  keepTo(LOAD_CORE);
  await inTemporaryFolder(async (folder) => {
    const library = join(folder, 'slow-flush.so');
    const source = join(import.meta.dirname, '../servers/slow-flush.c');
    const { status } = spawnSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl']);
    if (status !== 0) throw new Error('slow-flush.c does not compile');
    const start = (name: string, checkout?: string): Promise<PinfoldServer> =>
      startPinfold(
        join(folder, name),
        { LD_PRELOAD: library, SLOW_FLUSH: String(SLOWER) },
        { log: join(folder, `${name}.log`), ...(checkout === undefined ? {} : { checkout }) },
      );
    const servers = {
      now: await start('now'),
      ...(before === undefined ? {} : { before: await start('before', before) }),
    };
    try {
      const rows = [...(await viewRows(servers.now)), ...(await publisherRows(servers))];
      await (before === undefined ? report('slow-disk', rows) : print(rows));
    } finally {
      for (const server of Object.values(servers)) await server.stop();
    }
  });
}

/** A small page alone, and during changes of a title, in turn. */
async function viewRows(server: PinfoldServer): Promise<readonly Row[]> {
  const id = await server.publish(zipOf(smallPages(1)), randomUUID());
  const p90 = async () => (await askEvenly(server.port, server.hostOf(id), '/', VIEWS)).p90;
  const beside = async (): Promise<number> => {
    const over = new AbortController();
    const changing = changeTitles(server, id, over.signal);
    const figure = await p90();
    over.abort();
    await changing;
    return figure;
  };
  await beside();
  const values = await inRounds({ beside, alone: p90 }, ROUNDS);
  const what = `views beside ${CHANGES_A_SECOND} changes of a title a second: p90`;
  return [
    { what, figure: compared(values.beside, values.alone), unit: '× alone', goal: { atMost: 1.5 }, values },
  ];
}

async function changeTitles(
  { port, authorization }: PinfoldServer,
  id: string,
  over: AbortSignal,
): Promise<void> {
  const changes: Promise<unknown>[] = [];
  const headers = { authorization, 'content-type': 'application/json' };
  const path = `/api/v1/pins/${id}`;
  while (!over.aborted) {
    changes.push(
      askWell({ port, path, method: 'PATCH', headers, agent }, JSON.stringify({ title: randomUUID() })),
    );
    await pause(1_000 / CHANGES_A_SECOND);
  }
  await Promise.all(changes);
}

async function publisherRows(servers: Readonly<Record<string, PinfoldServer>>): Promise<readonly Row[]> {
  const archive = zipOf(smallPages(1));
  const works = Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [
      name,
      () => postMany(server, archive, PUBLISHERS, EACH),
    ]),
  );
  for (const warm of Object.values(works)) await warm();
  const values = await inRounds(works, ROUNDS);
  const what = `publications/s of one page, ${PUBLISHERS} publishers`;
  if (values.before === undefined)
    return [
      {
        what,
        figure: compared(
          values.now,
          values.now?.map(() => 1),
        ),
        unit: 'a second',
        values,
      },
    ];
  return [
    { what, figure: compared(values.now, values.before), unit: '× before', goal: { atLeast: 2 }, values },
  ];
}
