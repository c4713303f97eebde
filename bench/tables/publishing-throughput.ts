import type { PinfoldServer } from '../lib/pinfold.ts';
import { cpuSeconds } from '../lib/process-usage.ts';
import type { Row } from '../lib/report.ts';
import { inRounds, median } from '../lib/statistics.ts';
import { postMany } from './uploads.ts';

const PUBLISHERS = 16;
const EACH = 4;

/** Publications per second compared with the unzip handler, and how much of the server's core ours uses. */
export async function throughputRows(
  archive: Uint8Array<ArrayBuffer>,
  pinfold: PinfoldServer,
  handler: number,
  rounds: number,
): Promise<readonly Row[]> {
  const used: number[] = [];
  const ours = async () => {
    const before = cpuSeconds(pinfold.pid);
    const start = performance.now();
    const rate = await postMany(pinfold, archive, PUBLISHERS, EACH);
    used.push(((cpuSeconds(pinfold.pid) - before) * 1_000) / (performance.now() - start));
    return rate;
  };
  const theirs = () => postMany({ port: handler }, archive, PUBLISHERS, EACH);
  const values = await inRounds({ pinfold: ours, handler: theirs }, rounds);
  const what = `publications/s, ${PUBLISHERS} publishers`;
  const figure = median(values.pinfold) / median(values.handler);
  return [
    { what, figure, unit: '× unzip handler', goal: { atLeast: 1.5 }, values },
    {
      what: `core in use, ${PUBLISHERS} publishers`,
      figure: median(used) * 100,
      unit: '% of one',
      goal: { atLeast: 90 },
      values: { pinfold: used.map((part) => part * 100) },
    },
  ];
}
