import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const MiB = 1_048_576;
const ticks = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** How often a throttled process is checked, in milliseconds. */
const INTERVAL = 5;

/** Seconds of processor time that a process and its children have used: Linux counts them in hundredths. */
export function cpuSeconds(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return children.reduce((sum, child) => sum + cpuSeconds(Number(child)), ownCpuSeconds(pid));
}

/** The same without children that run; those that ended count (proc(5), `stat`). */
function ownCpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const times = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 16);
  return times.reduce((sum, time) => sum + Number(time), 0) / ticks;
}

/**
 * Milliseconds of processor time that the threads of a process and its children have had, by the scheduler's own count,
 * which is exact (Linux, Documentation/scheduler/sched-stats); those of libuv only if they are wanted.
 */
export function cpuMilliseconds(pid: number, withLibuv: boolean): number {
  const folder = `/proc/${pid}/task`;
  const threads = readdirSync(folder).map((thread) => `${folder}/${thread}`);
  const own = threads.filter(
    (thread) => withLibuv || !readFileSync(`${thread}/comm`, 'utf8').startsWith('libuv'),
  );
  const spent = own.reduce(
    (sum, thread) => sum + Number.parseInt(readFileSync(`${thread}/schedstat`, 'utf8'), 10),
    0,
  );
  const children = threads.flatMap((thread) =>
    readFileSync(`${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return children.reduce((sum, child) => sum + cpuMilliseconds(child, withLibuv), spent / 1e6);
}

/**
 * Limits each process to a part of a core, like the limit of a container: a process that used more is stopped until the
 * time has caught up. Returns the function that ends it.
 */
export function hold(pids: readonly number[], part: number): () => void {
  const start = performance.now();
  const before = new Map(pids.map((pid) => [pid, ownCpuSeconds(pid)]));
  const check = () => {
    const allowed = ((performance.now() - start) / 1_000) * part;
    for (const [pid, spent] of before) {
      process.kill(pid, ownCpuSeconds(pid) - spent > allowed ? 'SIGSTOP' : 'SIGCONT');
    }
  };
  const timer = setInterval(check, INTERVAL);
  return () => {
    clearInterval(timer);
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  };
}

/** MiB of a process in memory. */
export function residentMiB(pid: number): number {
  return (Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024) / MiB;
}

/** The maximum of MiB that a process had in memory during a task. */
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
