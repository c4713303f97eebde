import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { NODE } from './processes.ts';

/** Seconds of views before: V8 collects garbage in a new process once more after 8 s, which the load does not cause. */
const SETTLING = 8;

/** The process that views: started once, and ended with the bench. */
let viewers: ChildProcess | undefined;

function startViewers(): ChildProcess {
  // A thread with the highest priority must not wait for another thread of its process with a lower one.
  const execArgv = [...NODE.slice(1), '--single-threaded-gc'];
  const started = fork(join(import.meta.dirname, '../servers/viewers.ts'), { execArgv });
  goFirst(started.pid ?? 0);
  return started;
}

/** Viewers share a core with the attackers' clients: the milliseconds that they wait for those do not count. */
function goFirst(pid: number): void {
  if (spawnSync('chrt', ['--fifo', '--pid', '1', String(pid)], { stdio: 'ignore' }).status === 0) return;
  try {
    setPriority(pid, -10);
  } catch {
    // Only an administrator may; for others the results are worse than the server.
  }
}

/** The p99 of concurrent views of a page by others, in milliseconds from when each was due. */
export async function othersP99(port: number, host: string, seconds: number): Promise<number> {
  return (await othersTimes(port, host, seconds, [0.99]))[0] ?? Number.NaN;
}

/** The same for several quantiles. */
export async function othersTimes(
  port: number,
  host: string,
  seconds: number,
  quantiles: readonly number[],
): Promise<readonly number[]> {
  const taken = await asked<readonly number[]>(port, host, seconds);
  return quantiles.map((quantile) => taken[Math.ceil(taken.length * quantile) - 1] ?? Number.NaN);
}

/** The longest probe of a client that connects anew twenty times a second, in milliseconds. */
export function longestOfNewcomers(port: number, seconds: number): Promise<number> {
  return asked<number>(port, null, seconds);
}

async function asked<Answer>(...question: readonly [number, string | null, number]): Promise<Answer> {
  viewers ??= startViewers();
  const { channel } = viewers;
  viewers.unref();
  channel?.ref();
  viewers.send(question);
  const [answer] = await once(viewers, 'message');
  channel?.unref();
  return answer;
}

/** The same for a new server without other requests, once it has settled. */
export async function quietP99(port: number, host: string, seconds: number): Promise<number> {
  await othersP99(port, host, SETTLING);
  return await othersP99(port, host, seconds);
}
