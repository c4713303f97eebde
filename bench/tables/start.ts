import { join } from 'node:path';
import { startPinfold } from '../lib/pinfold.ts';
import { freePort, startServer } from '../lib/processes.ts';
import { inTemporaryFolder, type Row, report } from '../lib/report.ts';
import { smallPages, zipOf } from '../lib/sites.ts';
import { inRounds, median } from '../lib/statistics.ts';
import { stockSqlite } from '../lib/stock.ts';

const ROUNDS = 7;

/** From the command to the first answer of /readyz, with no role and with a million. */
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
    const { empty, ...values } = await inRounds(
      {
        'no roles': () => timeToReady(few),
        '1,000,000 roles': () => timeToReady(many),
        empty: timeToEmpty,
      },
      ROUNDS,
    );
    const rows: Row[] = Object.entries(values).map(([name, times]) => ({
      what: `ready, ${name}`,
      figure: median(times),
      unit: 'ms',
      goal: { atMost: 500 },
      values: { [name]: times },
    }));
    const what = 'ready, a server of node:http that does nothing';
    await report('start', [...rows, { what, figure: median(empty), unit: 'ms', values: { empty } }]);
  });
}

async function timeToReady(data: string): Promise<number> {
  const start = performance.now();
  const pinfold = await startPinfold(data);
  const answer = await fetch(`http://127.0.0.1:${pinfold.port}/readyz`);
  const taken = performance.now() - start;
  await pinfold.stop();
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
