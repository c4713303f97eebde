import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPinfold } from '../lib/pinfold.ts';
import { type Row, report } from '../lib/report.ts';
import { inRounds, median } from '../lib/statistics.ts';
import { fillRoles } from './fill-roles.ts';

const ROUNDS = 7;

/** From the command to the first answer of /readyz, with no role and with a million. */
export async function run(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'pinfold-bench-'));
  try {
    const few = join(folder, 'few');
    const many = join(folder, 'many');
    for (const data of [few, many]) await (await startPinfold(data)).stop();
    await fillRoles(join(many, 'pinfold.db'), 1_000_000);
    const values = await inRounds(
      { 'no roles': () => timeToReady(few), '1,000,000 roles': () => timeToReady(many) },
      ROUNDS,
    );
    const rows: Row[] = Object.entries(values).map(([name, times]) => ({
      what: `ready, ${name}`,
      figure: median(times),
      unit: 'ms',
      goal: { atMost: 500 },
      values: { [name]: times },
    }));
    await report('start', rows);
  } finally {
    await rm(folder, { recursive: true });
  }
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
