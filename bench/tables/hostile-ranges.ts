import { setTimeout as pause } from 'node:timers/promises';
import { get, sayAndTakeNothing } from '../lib/hostile-clients.ts';
import { othersP99, quietP99 } from '../lib/others.ts';
import { cpuSeconds, peakMiB, residentMiB } from '../lib/process-usage.ts';
import { smallPages, zipOf } from '../lib/sites.ts';
import { findings, type HostileLoad } from './hostile-load.ts';

const SIZE = 10 * 1_048_576;
const CONNECTIONS = 4;
const EACH = 1_500;
const WHILE = 3;
/** How long a server is observed that still works for clients that have left. */
const AFTERWARDS = 20;

/** 6,000 ranges of the last byte of a deflated file, pipelined by four connections that are reset after 3 s. */
export const pipelinedRanges: HostileLoad = {
  rounds: 5,
  measure: async (start) => {
    const server = await start();
    const { pid, port } = server;
    const small = await server.publish(zipOf(smallPages(2)));
    const zeros = new Uint8Array(new ArrayBuffer(SIZE));
    const large = await server.publish(zipOf({ ...smallPages(1), 'large.bin': zeros }));
    const quiet = await quietP99(port, small, WHILE);
    const before = residentMiB(pid);
    const attacked = attack(pid, port, large);
    const during = othersP99(port, small, WHILE);
    const peak = await peakMiB(pid, attacked);
    const [second, all] = await attacked;
    const views = await during;
    return findings(
      '6,000 pipelined ranges',
      ['CPU from 1 s to 2 s after the reset', second, 's', 0.1],
      [`CPU after the reset, ${AFTERWARDS} s of it at most`, all, 's'],
      ["others' p99", views / quiet, '× quiet', 5],
      ["others' p99", views, 'ms'],
      ['memory at its peak', peak - before, 'MiB more', 128],
    );
  },
};

/** Seconds of the server's CPU after the reset: those of the second second, and all. */
async function attack(
  pid: number,
  port: number,
  large: string,
): Promise<readonly [second: number, all: number]> {
  const words = get('/large.bin', large, [`Range: bytes=${SIZE - 1}-`]).repeat(EACH);
  const attackers = await sayAndTakeNothing(port, ...Array<string>(CONNECTIONS).fill(words));
  await pause(WHILE * 1_000);
  for (const attacker of attackers) attacker.resetAndDestroy();
  const reset = cpuSeconds(pid);
  await pause(1_000);
  const from = cpuSeconds(pid);
  await pause(1_000);
  const second = cpuSeconds(pid) - from;
  while (second > 0.1 && cpuSeconds(pid) - reset < AFTERWARDS) await pause(100);
  return [second, cpuSeconds(pid) - reset];
}
