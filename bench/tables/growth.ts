import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { keepTo, LOAD_CORE } from '../lib/processes.ts';
import { inTemporaryFolder, type Row, reportParts } from '../lib/report.ts';
import { comparedRow, median } from '../lib/statistics.ts';
import { pinOfEvents } from '../lib/stock.ts';
import { cleanupRows } from './growth-cleanup.ts';
import { DATABASES, type Ground, openGround } from './growth-ground.ts';
import { processesRows } from './growth-processes.ts';
import { post } from './uploads.ts';

const FEW = 1_000;
const MANY = 1_000_000;
const SEARCHED = 50_000;

/** A request by its name: its repetitions in one round, whose result is the median in milliseconds. */
type Repeated = Readonly<
  Record<string, readonly [times: number, ask: (ground: Ground, n: number) => Promise<number>]>
>;

const REQUESTS: Repeated = {
  'read a role': [200, ({ server, next }) => server.read(next().id)],
  'view a site not seen before': [100, ({ server, next }) => server.view(next().id)],
  'publish a small site': [20, ({ server, archive }) => post(server, archive)],
  'a page of the list': [40, ({ server }) => server.list()],
  'a page of the management screen': [40, ({ server }) => server.manage()],
};

const HISTORY: Repeated = {
  'a page of an account’s history': [100, ({ server }) => server.events('')],
  'the history of a publication': [
    100,
    ({ server, events }, n) => server.events(`?pin=${pinOfEvents((n * 7_919) % (events / 10))}`),
  ],
  'the page History of the screen': [40, ({ server }) => server.manage('history')],
  'rename a role, with its event': [100, ({ server, next }) => server.rename(next().id, randomUUID())],
  'publish a small site, with its event': [20, ({ server, archive }) => post(server, archive)],
};

/** The cost of 1,000,000 roles instead of 1,000, of 1,000,000 events with the same roles, and of cleaning up. */
export async function run(): Promise<void> {
  await inTemporaryFolder(async (folder) => {
    /** Opens a test service for each number of roles, with its number of events, on each database. */
    const onGrounds =
      (
        name: string,
        sizes: readonly (readonly [roles: number, events: number])[],
        rowsOf: (database: string, first: Ground, last: Ground) => Promise<readonly Row[]>,
      ) =>
      async (): Promise<readonly Row[]> => {
        keepTo(LOAD_CORE);
        const rows: Row[] = [];
        for (const database of DATABASES) {
          const open: Ground[] = [];
          try {
            for (const [index, [roles, events]] of sizes.entries()) {
              const place = join(folder, `${database} ${name} ${index}`);
              open.push(await openGround(database, place, roles, events));
            }
            rows.push(...(await rowsOf(database, open[0] as Ground, open.at(-1) as Ground)));
          } finally {
            for (const ground of open) await ground.close();
          }
        }
        return rows;
      };
    const events = [[FEW, FEW] as const, [FEW, MANY] as const];
    const roles = [[FEW, 0] as const, [MANY, 0] as const];
    await reportParts('growth', {
      // First, since the rest leaves the servers' core to one server.
      processes: () => processesRows(folder),
      history: onGrounds('history', events, (database, few, many) =>
        ratioRows(database, HISTORY, '1,000 events', few, many),
      ),
      requests: onGrounds('requests', roles, (database, few, many) =>
        ratioRows(database, REQUESTS, '1,000 roles', few, many),
      ),
      search: onGrounds('search', [[SEARCHED, 0]], searchRows),
      cleanup: onGrounds('cleanup', roles.slice(1), cleanupRows),
    });
  });
}

/** A text that no publication has, so that all are searched. */
async function searchRows(database: string, { server }: Ground): Promise<readonly Row[]> {
  const start = performance.now();
  const figure = await server.search('no title has this');
  const what = `${database}: search ${SEARCHED.toLocaleString('en')} publications to their end`;
  const values = { ms: [performance.now() - start] };
  return [{ what, figure, unit: 'pages of the screen', goal: { atMost: 2 }, values }];
}

async function ratioRows(
  database: string,
  repeated: Repeated,
  unit: string,
  few: Ground,
  many: Ground,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const [what, [times, ask]] of Object.entries(repeated)) {
    const middle = (ground: Ground) => async (): Promise<number> => {
      const taken: number[] = [];
      for (let n = 0; n < times; n += 1) taken.push(await ask(ground, n));
      return median(taken);
    };
    const goal = { atMost: 1.5 };
    const candidates = { '1,000,000': middle(many), '1,000': middle(few) };
    rows.push(await comparedRow({ what: `${database}: ${what}`, unit: `× ${unit}`, goal }, candidates));
  }
  return rows;
}
