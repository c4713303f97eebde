import { loader } from '../lib/load.ts';
import type { RunningServer } from '../lib/processes.ts';
import { type Row, reportParts } from '../lib/report.ts';
import {
  checkBytes,
  LARGE,
  SMALL,
  STYLE,
  startBare,
  startOurs,
  startPeers,
} from '../lib/serving-candidates.ts';
import { swaggerSite } from '../lib/sites.ts';
import { compared } from '../lib/statistics.ts';
import {
  type Candidate,
  get,
  inFolder,
  type Measured,
  measured,
  ROUNDS,
  rowsOf,
  SECONDS,
  target,
  waitRows,
} from '../lib/views.ts';
import { coldRows } from './cold.ts';
import { loopDelayRow } from './loop-delay.ts';
import { connectionRows, halfLoadRows } from './serving-connections.ts';
import { postgresRows } from './serving-postgres.ts';
import { pagesRows, sitesRows } from './serving-sites.ts';

/** Requests and bytes per second, compared with common servers for folders; `--only PART` for one part. */
export async function run(): Promise<void> {
  await inFolder(async (folder, running) => {
    const site = await swaggerSite();
    const ours = await startOurs(folder, site, running);
    const [pinfold] = ours;
    const bare = await startBare(pinfold, folder, running);
    const candidates = [...bare, ...ours, ...(await startPeers(folder, site, running))];
    for (const candidate of candidates) await checkBytes(candidate, site);
    process.stderr.write(`loads by ${loader}, ${ROUNDS} rounds of ${SECONDS} s\n`);
    const some = (...names: readonly string[]) => candidates.filter(({ name }) => names.includes(name));
    await reportParts('serving', {
      small: () => smallRows(candidates),
      connections: () => connectionRows(some('pinfold', 'bare-http', 'gathering', 'sirv', 'nginx', 'caddy')),
      half: () => halfLoadRows(some('pinfold', 'bare-http', 'nginx', 'caddy')),
      script: async () =>
        rowsOf(
          'bytes of a large script',
          await measured(some('pinfold', 'bare-http', 'nginx'), (c) => target(c, LARGE), 'bytes'),
          [
            ['pinfold', 'nginx', 0.85],
            ['pinfold', 'bare-http'],
          ],
        ),
      unchanged: async () =>
        rowsOf(
          '304 answers',
          await measured(
            candidates.filter(({ name }) => name !== 'protected'),
            withTag,
          ),
          [
            ['pinfold', 'gathering', 0.75],
            ['pinfold', 'bare-http'],
            ['pinfold', 'sirv'],
            ['pinfold', 'express-static'],
            ['pinfold', 'nginx'],
            ['pinfold', 'caddy'],
          ],
        ),
      pages: () => pagesRows(pinfold, folder, running),
      sites: () => sitesRows(folder, running),
      postgres: () => postgresRows(pinfold, folder, running),
      cold: async () => {
        for (const server of running.splice(0)) await server.stop();
        return [...(await coldRows(folder)), await loopDelayRow(folder)];
      },
    });
  });
}

async function smallRows(candidates: readonly Candidate[]): Promise<readonly Row[]> {
  const small = await measured(candidates, (c) => target(c, SMALL));
  const rows = rowsOf('small page', small, [
    ['pinfold', 'express-static', 4],
    ['pinfold', 'sirv', 4],
    ['pinfold', 'fastify-static'],
    ['pinfold', 'caddy', 2],
    ['pinfold', 'bare-http', 0.75],
    ['pinfold', 'gathering', 0.7],
    ['pinfold', 'nginx'],
    ['silent', 'bare-http', 0.65],
    ['pinfold', 'silent', 0.87],
    ['protected', 'pinfold', 0.95],
  ]);
  return [...rows, ...waitRows('small page', small, 'pinfold'), logLineRow(small)];
}

/** The maximum processor time of a view, relative to bare `node:http`: the highest measured, plus a fifth. */
const BUDGETS = { pinfold: 1.55, silent: 1.4 };

/** A small page alone. */
export async function viewBudgets(folder: string, running: RunningServer[]): Promise<readonly Row[]> {
  const ours = await startOurs(folder, await swaggerSite(), running);
  const [bare] = await startBare(ours[0], folder, running);
  const values = (await measured([bare, ...ours], (c) => target(c, SMALL))).cpu;
  return Object.entries(BUDGETS).map(([name, atMost]) => {
    const figure = compared(values[name], values['bare-http']);
    return { what: `CPU of a small page, ${name}`, figure, unit: '× bare-http', goal: { atMost }, values };
  });
}

async function withTag(candidate: Candidate) {
  const { etag = '' } = await get(candidate, STYLE);
  const condition = { 'If-None-Match': etag };
  const { status } = await get(candidate, STYLE, condition);
  if (status !== 304) throw new Error(`${candidate.name} answers ${status} to what it has answered before`);
  return target(candidate, STYLE, condition);
}

function logLineRow({ cpu }: Measured): Row {
  const figure = compared(cpu.pinfold, cpu.silent, (logged, silent) => logged - silent);
  return { what: 'CPU of one line of the log', figure, unit: 'µs', goal: { atMost: 1.5 } };
}
