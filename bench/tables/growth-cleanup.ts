import type { Row } from '../lib/report.ts';
import { median } from '../lib/statistics.ts';
import type { Ground } from './growth-ground.ts';

const ENDED = 10_000;
/** The maximum delay of a request, in milliseconds. */
const GOAL = 20;
const TIMES = 5;
const MAX_TIMES = 15;

/** The longest request, and the longest delay of the event loop, in milliseconds. */
interface Round {
  readonly removed: number;
  readonly cleaning: number;
  readonly delay: number;
  readonly quiet: number;
  readonly taken: number;
}

/**
 * The longest wait of a request while the same process removed the archives of 10,000 roles. A round is repeated if the
 * machine alone delayed a request beyond the goal, or if the server's own sweep removed some of the archives.
 */
export async function cleanupRows(database: string, ground: Ground): Promise<readonly Row[]> {
  // The first one also compares storage with a million records, and starts threads.
  await cleanUp(ground);
  const rounds: Round[] = [];
  const whole = () => rounds.filter(({ removed }) => removed === ENDED);
  const calm = () => whole().filter(({ quiet }) => quiet <= GOAL);
  while (calm().length < TIMES && rounds.length < MAX_TIMES) rounds.push(await cleanUp(ground));
  const counted = calm().length < TIMES ? whole() : calm();
  const all = (name: keyof Round) => counted.map((round) => round[name]);
  return [
    {
      what: `${database}: longest request while 10,000 archives are removed`,
      figure: median(all('cleaning')),
      unit: 'ms',
      goal: { atMost: GOAL },
      values: {
        'while cleaning up': all('cleaning'),
        'as long without': all('quiet'),
        'the event loop': all('delay'),
      },
    },
    {
      what: `${database}: time to remove 10,000 archives`,
      figure: median(all('taken')) / 1_000,
      unit: 's',
      values: { rounds: [counted.length], 'rounds left out': [rounds.length - counted.length] },
    },
  ];
}

async function cleanUp(ground: Ground): Promise<Round> {
  await ground.stock.addEnded(ENDED);
  await ground.stockArchives(await ground.stock.ended());
  // Meanwhile a pool has closed its connections, and opening one takes time, with or without a cleanup.
  await Promise.all(Array.from({ length: 30 }, () => ground.server.view(ground.next().id)));
  let running = true;
  const whileRunning = longestWait(ground, () => running);
  const start = performance.now();
  const { report, longestDelay } = await ground.server.cleanUp();
  const taken = performance.now() - start;
  running = false;
  const cleaning = await whileRunning;
  const { archives, failures } = report;
  if (failures > 0) throw new Error(`${archives} removed, ${failures} failed`);
  const end = performance.now() + taken;
  const quiet = await longestWait(ground, () => performance.now() < end);
  const [whole, longest, alone] = [taken, cleaning, quiet].map(Math.round);
  process.stderr.write(
    `${archives} removed in ${whole} ms, longest request ${longest} ms, without ${alone} ms\n`,
  );
  return { removed: archives, cleaning, delay: longestDelay, quiet, taken };
}

async function longestWait({ server, next }: Ground, goesOn: () => boolean): Promise<number> {
  let longest = 0;
  while (goesOn()) {
    const { id } = next();
    longest = Math.max(longest, await server.view(id), await server.read(id));
  }
  return longest;
}
