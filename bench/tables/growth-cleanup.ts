import type { Row } from '../lib/report.ts';
import { median } from '../lib/statistics.ts';
import type { Ground } from './growth-ground.ts';

const ENDED = 10_000;
const TIMES = 5;

/** The longest that a request had to wait while the archives of 10,000 roles were removed by the same process. */
export async function cleanupRow(database: string, ground: Ground): Promise<Row> {
  const [quiet, cleaning]: [number[], number[]] = [[], []];
  for (let n = 0; n < TIMES; n += 1) {
    await ground.stock.addEnded(ENDED);
    await ground.link(await ground.stock.ended());
    let running = true;
    const asked = longestWait(ground, () => running);
    const start = performance.now();
    const { archives, failures } = await ground.server.cleanUp();
    const taken = performance.now() - start;
    running = false;
    cleaning.push(await asked);
    if (archives !== ENDED || failures > 0) throw new Error(`${archives} removed, ${failures} failed`);
    const end = performance.now() + taken;
    quiet.push(await longestWait(ground, () => performance.now() < end));
  }
  return {
    what: `${database}: longest request while 10,000 archives are removed`,
    figure: median(cleaning),
    unit: 'ms',
    goal: { atMost: 20 },
    values: { 'while cleaning up': cleaning, 'as long without': quiet },
  };
}

async function longestWait({ server, next }: Ground, goesOn: () => boolean): Promise<number> {
  let longest = 0;
  while (goesOn()) {
    const { id } = next();
    longest = Math.max(longest, await server.view(id), await server.read(id));
  }
  return longest;
}
