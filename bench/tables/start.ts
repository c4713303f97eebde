import { spawnSync } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { startPinfold } from '../lib/pinfold.ts';
import { freePort, NODE, type StartOptions, startServer } from '../lib/processes.ts';
import { inTemporaryFolder, type Row, report } from '../lib/report.ts';
import { smallPages, zipOf } from '../lib/sites.ts';
import { inRounds, median } from '../lib/statistics.ts';
import { stockSqlite } from '../lib/stock.ts';

const ROUNDS = 7;
const CLONE = join(import.meta.dirname, '../..');
/** The script of package.json. */
const SCRIPT = [...NODE, join(CLONE, 'scripts/run.mjs'), 'start'];

/**
 * From the command to the first answer of /readyz: for the program that `npm start` runs, on one core, with no role and
 * with a million; and for `npm start` itself.
 */
export async function run(): Promise<void> {
  await inTemporaryFolder(async (folder) => {
    const few = join(folder, 'few');
    const many = join(folder, 'many');
    await (await startPinfold(few)).stop();
    const filled = await startPinfold(many);
    await filled.publish(zipOf(smallPages(2)), 'the first of a million');
    await filled.stop();
    const stock = stockSqlite(join(many, 'pinfold.sqlite'));
    await stock.addRoles(1_000_000);
    await stock.close();
    const servers = {
      'no roles': () => timeToReady(SCRIPT, few),
      '1,000,000 roles': () => timeToReady(SCRIPT, many),
    };
    const commands = Object.fromEntries(
      [...pathsOfNodes()].map(([version, path]) => [
        `npm start, npm on Node ${version}`,
        () => timeToReady(['npm', 'start'], few, { PATH: path }, { core: undefined }),
      ]),
    );
    // The first start after a change of the sources builds the bundle of the server.
    for (const start of Object.values(commands)) await start();
    const { empty, ...values } = await inRounds({ ...servers, ...commands, empty: timeToEmpty }, ROUNDS);
    const rows: Row[] = Object.entries(values).map(([name, times]) => ({
      what: `ready, ${name}`,
      figure: median(times),
      unit: 'ms',
      goal: { atMost: name in servers ? 500 : 600 },
      values: { [name]: times },
    }));
    const what = 'ready, a server of node:http that does nothing';
    await report('start', [...rows, { what, figure: median(empty), unit: 'ms', values: { empty } }]);
  });
}

/** The PATH of the caller of `npm run bench`, and one with this Node in front, by the versions of Node that npm finds there. */
function pathsOfNodes(): ReadonlyMap<string, string> {
  const { PATH = '' } = process.env;
  const caller = PATH.split(delimiter).filter((folder) => !folder.includes('node_modules'));
  const paths = [caller, [dirname(process.execPath), ...caller]].map((folders) => folders.join(delimiter));
  const versionIn = (path: string): string =>
    spawnSync('node', ['-v'], { encoding: 'utf8', env: { PATH: path } }).stdout.trim();
  return new Map(paths.map((path) => [versionIn(path), path]));
}

async function timeToReady(
  command: readonly string[],
  data: string,
  more: Readonly<Record<string, string>> = {},
  options: StartOptions = {},
): Promise<number> {
  const port = await freePort();
  const environment = { PINFOLD_PORT: String(port), PINFOLD_DATA_DIR: data, ...more };
  const start = performance.now();
  const server = await startServer(command, environment, { cwd: CLONE, ...options });
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
  const taken = performance.now() - start;
  await server.stop();
  if (answer.status !== 200) throw new Error(`ready: ${answer.status}`);
  return taken;
}

const EMPTY = `require('node:http').createServer((_, response) => response.end())
  .listen(process.env.PORT, '127.0.0.1', () => console.log('ready'));
process.on('SIGTERM', () => process.exit(0));`;

/** The part of Node itself, which also shows how slow the machine is today. */
async function timeToEmpty(): Promise<number> {
  const start = performance.now();
  const port = await freePort();
  const server = await startServer([process.execPath, '-e', EMPTY], { PORT: String(port) });
  await (await fetch(`http://127.0.0.1:${port}/`)).text();
  const taken = performance.now() - start;
  await server.stop();
  return taken;
}
