import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const MiB = 1_048_576;
const ticks = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** Seconds of processor time that a process and its children have had: Linux counts them in hundredths. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean);
  const theirs = children.reduce((sum, child) => sum + cpuSeconds(Number(child)), 0);
  return (Number(user) + Number(system)) / ticks + theirs;
}

/** MiB of a process in memory. */
export function residentMiB(pid: number): number {
  return (Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024) / MiB;
}

/** The most MiB that a process had in memory while something went on. */
export async function peakMiB(pid: number, during: Promise<unknown>): Promise<number> {
  let peak = 0;
  let going = true;
  const over = during.finally(() => {
    going = false;
  });
  while (going) {
    peak = Math.max(peak, residentMiB(pid));
    await pause(20);
  }
  await over;
  return peak;
}
