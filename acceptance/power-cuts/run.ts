import { parseArgs } from 'node:util';
import { cutPower, type PowerCuts } from './cut-power.ts';

const { values } = parseArgs({
  options: { cuts: { type: 'string', default: '100' }, only: { type: 'string', default: '' } },
});
/** The cuts for one server, which begins with an empty data folder. */
const CUTS_A_SERVER = 20;
const DISK = { seenBy: 'disk.c' } as const;
const TWO = { ...DISK, processes: 2 } as const;

const modes: Readonly<Record<string, Omit<PowerCuts, 'cuts'>>> = {
  'one process': DISK,
  'one process, names durable at once': { ...DISK, unflushed: 'named' },
  'one process, torn writes': { ...DISK, unflushed: 'torn' },
  'one process, failing flushes': { ...DISK, failing: true },
  'one process, failing flushes, torn writes': { ...DISK, failing: true, unflushed: 'torn' },
  'one process, failing flushes, killed': { ...DISK, failing: true, restarting: 'killed' },
  'one process, failing flushes, torn writes, ended': {
    ...DISK,
    failing: true,
    unflushed: 'torn',
    restarting: 'ended',
  },
  'two processes': TWO,
  'two processes, torn writes': { ...TWO, unflushed: 'torn' },
  'two processes, failing flushes': { ...TWO, failing: true },
  'two processes, failing flushes, torn writes': { ...TWO, failing: true, unflushed: 'torn' },
  'two processes, failing flushes, killed': { ...TWO, failing: true, restarting: 'killed' },
  'two processes, failing flushes, torn writes, ended': {
    ...TWO,
    failing: true,
    unflushed: 'torn',
    restarting: 'ended',
  },
};

for (const [name, how] of Object.entries(modes).filter(([mode]) => mode.includes(values.only))) {
  const losses: (readonly string[])[] = [];
  let [pins, failedFlushes] = [0, 0];
  for (let left = Number(values.cuts); left > 0; left -= CUTS_A_SERVER) {
    const found = await cutPower({ ...how, cuts: Math.min(left, CUTS_A_SERVER) });
    losses.push(...found.losses);
    pins += found.pins;
    failedFlushes += found.failedFlushes;
  }
  if (losses.length > 0) process.exitCode = 1;
  console.log(JSON.stringify({ mode: name, cuts: Number(values.cuts), pins, failedFlushes, losses }));
}
