import { setTimeout as pause } from 'node:timers/promises';
import { get, sayAndTakeNothing } from '../lib/hostile-clients.ts';
import { type HostileServer, startHostileServer } from '../lib/hostile-server.ts';
import { othersView, p99 } from '../lib/others.ts';
import { cpuSeconds, peakMiB, residentMiB } from '../lib/process-figures.ts';
import { smallPages, zipOf } from '../lib/sites.ts';
import type { Finding, HostileLoad } from './hostile-load.ts';

const SIZE = 10 * 1_048_576;
const CONNECTIONS = 4;
const EACH = 1_500;
const WHILE = 3;
/** Seconds of views before: V8 looks through a new process once more when it is 8 s old, which is not the load's. */
const SETTLING = 8;
/** How long a server is looked at that goes on working for those who have left. */
const AFTERWARDS = 20;

/** 6,000 ranges of the last byte of a deflated file, pipelined by four connections that are reset after 3 s. */
export const pipelinedRanges: HostileLoad = {
  rounds: 5,
  measure: async (checkout) => {
    const server = await startHostileServer(checkout);
    try {
      const small = await server.publish(zipOf(smallPages(2)));
      const large = await server.publish(
        zipOf({ ...smallPages(1), 'large.bin': new Uint8Array(new ArrayBuffer(SIZE)) }),
      );
      await othersView(server.port, small, SETTLING);
      const quiet = p99(await othersView(server.port, small, WHILE));
      return await underRanges(server, small, large, quiet);
    } finally {
      await server.end();
    }
  },
};

async function underRanges(
  { pid, port }: HostileServer,
  small: string,
  large: string,
  quiet: number,
): Promise<readonly Finding[]> {
  const before = residentMiB(pid);
  const attack = async (): Promise<readonly [second: number, all: number]> => {
    const words = get('/large.bin', large, [`Range: bytes=${SIZE - 1}-`]).repeat(EACH);
    const attackers = await Promise.all(
      Array.from({ length: CONNECTIONS }, () => sayAndTakeNothing(port, words)),
    );
    await pause(WHILE * 1_000);
    for (const attacker of attackers) attacker.resetAndDestroy();
    const reset = cpuSeconds(pid);
    await pause(1_000);
    const from = cpuSeconds(pid);
    await pause(1_000);
    const second = cpuSeconds(pid) - from;
    while (second > 0.1 && cpuSeconds(pid) - reset < AFTERWARDS) await pause(100);
    return [second, cpuSeconds(pid) - reset];
  };
  const attacked = attack();
  const during = othersView(port, small, WHILE);
  const peak = await peakMiB(pid, attacked);
  const [second, all] = await attacked;
  const views = p99(await during);
  const what = '6,000 pipelined ranges';
  return [
    {
      what: `${what}: CPU from 1 s to 2 s after the reset`,
      figure: second,
      unit: 's',
      goal: { atMost: 0.1 },
    },
    { what: `${what}: CPU after the reset, ${AFTERWARDS} s of it at most`, figure: all, unit: 's' },
    { what: `${what}: others' p99`, figure: views / quiet, unit: '× quiet', goal: { atMost: 5 } },
    { what: `${what}: others' p99`, figure: views, unit: 'ms' },
    { what: `${what}: memory at its peak`, figure: peak - before, unit: 'MiB more', goal: { atMost: 128 } },
  ];
}
