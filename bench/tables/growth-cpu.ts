import { readFileSync } from 'node:fs';

/** Milliseconds of one of the hundredths of a second in which the system counts (proc(5), `stat`). */
const TICK = 10;
/** How often a held process is looked at, in milliseconds. */
const LOOK = 5;

/** Milliseconds that a process, its children that ended and its children that run have spent on any core. */
export function cpuOf(pid: number): number {
  return ownCpuOf(pid) + childrenOf(pid).reduce((sum, child) => sum + cpuOf(child), 0);
}

/**
 * Keeps processes to a part of a core each, as the limit of a container does: who has spent more is stopped until the
 * time has caught up. Answers what ends it.
 */
export function hold(pids: readonly number[], part: number): () => void {
  const start = performance.now();
  const before = new Map(pids.map((pid) => [pid, ownCpuOf(pid)]));
  const look = () => {
    const allowed = (performance.now() - start) * part;
    for (const [pid, spent] of before) {
      process.kill(pid, ownCpuOf(pid) - spent > allowed ? 'SIGSTOP' : 'SIGCONT');
    }
  };
  const timer = setInterval(look, LOOK);
  return () => {
    clearInterval(timer);
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  };
}

function ownCpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  const [user, system, usersOfEnded, systemsOfEnded] = fields.slice(11, 15).map(Number);
  return ((user ?? 0) + (system ?? 0) + (usersOfEnded ?? 0) + (systemsOfEnded ?? 0)) * TICK;
}

function childrenOf(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.split(' ').filter(Boolean).map(Number);
}
