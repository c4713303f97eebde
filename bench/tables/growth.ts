import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Row, report } from '../lib/report.ts';
import { inRounds, median } from '../lib/statistics.ts';
import { cleanupRow } from './growth-cleanup.ts';
import { type Ground, openGround } from './growth-ground.ts';
import { processesRows } from './growth-processes.ts';
import { post } from './uploads.ts';

const FEW = 1_000;
const MANY = 1_000_000;
const ROUNDS = 7;

/** What 1,000,000 roles cost in place of 1,000, what cleaning up costs others, and what a second process gives. */
export async function run(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'pinfold-bench-'));
  const rows: Row[] = [];
  try {
    for (const database of ['SQLite', 'PostgreSQL'] as const) {
      const few = await openGround(database, join(folder, `${database} few`), FEW);
      const many = await openGround(database, join(folder, `${database} many`), MANY);
      rows.push(...(await ratioRows(database, few, many)), await cleanupRow(database, many));
      await few.close();
      await many.close();
    }
    rows.push(...(await processesRows(folder)));
    await report('growth', rows);
  } finally {
    await rm(folder, { recursive: true });
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

async function ratioRows(database: string, few: Ground, many: Ground): Promise<readonly Row[]> {
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
