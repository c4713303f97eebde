import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { NODE } from './processes.ts';

/** Seconds of views before: V8 looks through a new process once more when it is 8 s old, which is not the load's. */
const SETTLING = 8;

/** The process that views: started once, and ended with the bench. */
let viewers: ChildProcess | undefined;

function startViewers(): ChildProcess {
  // A thread that has its core before all others must not wait for one of its own that has not.
  const execArgv = [...NODE.slice(1), '--single-threaded-gc'];
  const started = fork(join(import.meta.dirname, '../servers/viewers.ts'), { execArgv });
  goFirst(started.pid ?? 0);
  return started;
}

/** Viewers share a core with the attackers' clients: the milliseconds that they wait for these are not the server's. */
function goFirst(pid: number): void {
  if (spawnSync('chrt', ['--fifo', '--pid', '1', String(pid)], { stdio: 'ignore' }).status === 0) return;
  try {
    setPriority(pid, -10);
  } catch {
    // Only an administrator may; elsewhere the figures are worse than the server is.
  }
}

/** The p99 of views of a page as others make them meanwhile, in milliseconds from when each was due. */
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

/** The longest that the probe takes of one who comes anew twenty times a second, in milliseconds. */
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

/** The same of a new server that nothing else is asked of, once it has settled. */
export async function quietP99(port: number, host: string, seconds: number): Promise<number> {
  await othersP99(port, host, SETTLING);
  return await othersP99(port, host, seconds);
}
