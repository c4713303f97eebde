import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepTo, LOAD_CORE } from '../lib/processes.ts';
import { print, type Row, report } from '../lib/report.ts';
import { inRounds, median } from '../lib/statistics.ts';
import { cleanupRows } from './growth-cleanup.ts';
import { type Ground, openGround } from './growth-ground.ts';
import { historyRows } from './growth-history.ts';
import { processesRows } from './growth-processes.ts';
import { post } from './uploads.ts';

const FEW = 1_000;
const MANY = 1_000_000;
const ROUNDS = 7;

const PARTS = ['requests', 'history', 'cleanup', 'processes'] as const;
type Part = (typeof PARTS)[number];

/**
 * What 1,000,000 roles cost in place of 1,000, and 1,000,000 events, what cleaning up costs others, and what more processes give.
 * `npm run bench -- growth PART` prints one part, and keeps no result.
 */
export async function run(part: string | undefined = process.argv[3]): Promise<void> {
  const parts = PARTS.filter((name) => part === undefined || part === name);
  if (parts.length === 0) throw new TypeError(`the parts are ${PARTS.join(', ')}`);
  const folder = await mkdtemp(join(tmpdir(), 'pinfold-bench-'));
  const rows: Row[] = [];
  try {
    // First, since what follows leaves the servers' core to one server.
    const processes = parts.includes('processes') ? await processesRows(folder) : [];
    keepTo(LOAD_CORE);
    for (const database of ['SQLite', 'PostgreSQL'] as const) {
      rows.push(...(await databaseRows(database, folder, parts)));
    }
    rows.push(...processes);
    if (part === undefined) await report('growth', rows);
    else print(rows);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function databaseRows(
  database: 'SQLite' | 'PostgreSQL',
  folder: string,
  parts: readonly Part[],
): Promise<readonly Row[]> {
  const open = (name: string, count: number) =>
    openGround(database, join(folder, `${database} ${name}`), count);
  const history = parts.includes('history')
    ? await between(await open('few events', FEW), await open('many events', FEW), (few, many) =>
        historyRows(database, few, many),
      )
    : [];
  if (!parts.includes('requests') && !parts.includes('cleanup')) return history;
  const many = await open('many', MANY);
  try {
    const requests = parts.includes('requests')
      ? await ratioRows(database, await open('few', FEW), many)
      : [];
    const cleanup = parts.includes('cleanup') ? await cleanupRows(database, many) : [];
    return [...history, ...requests, ...cleanup];
  } finally {
    await many.close();
  }
}

/** How a request is repeated in one round: its figure is the middle one, in milliseconds. */
const REPEATED: Readonly<
  Record<string, { readonly times: number; readonly ask: (ground: Ground) => Promise<number> }>
> = {
  'read a role': { times: 200, ask: ({ server, next }) => server.read(next().id) },
  'view a site not seen before': { times: 100, ask: ({ server, next }) => server.view(next().id) },
  'publish a small site': { times: 20, ask: ({ server, archive }) => post(server, archive) },
  'a page of the list': { times: 40, ask: ({ server }) => server.list() },
  'a page of the management screen': { times: 40, ask: ({ server }) => server.manage() },
};

async function between(
  one: Ground,
  other: Ground,
  rowsOf: (one: Ground, other: Ground) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  try {
    return await rowsOf(one, other);
  } finally {
    await one.close();
    await other.close();
  }
}

async function ratioRows(database: string, few: Ground, many: Ground): Promise<readonly Row[]> {
  try {
    return await ratiosOf(database, few, many);
  } finally {
    await few.close();
  }
}

async function ratiosOf(database: string, few: Ground, many: Ground): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const [what, { times, ask }] of Object.entries(REPEATED)) {
    const middle = async (ground: Ground): Promise<number> => {
      const taken: number[] = [];
      for (let n = 0; n < times; n += 1) taken.push(await ask(ground));
      return median(taken);
    };
    for (const ground of [few, many]) await middle(ground);
    const values = await inRounds({ '1,000': () => middle(few), '1,000,000': () => middle(many) }, ROUNDS);
    const figure = median(values['1,000,000']) / median(values['1,000']);
    rows.push({ what: `${database}: ${what}`, figure, unit: '× 1,000 roles', goal: { atMost: 1.5 }, values });
  }
  return rows;
}
