import { type ChildProcess, type StdioOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

export { quietPort as freePort } from 'pinfold-test-servers';

/** The cores of servers and of loads: never the same. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;
/** For a server whose load waits while the server works. */
export const EVERY_CORE = `0-${cpus().length - 1}`;

const canPin = spawnSync('taskset', ['--version']).status === 0;

/** The command on one core, or on a list of cores, if the machine supports that. */
export function pinned(core: number | string, command: readonly string[]): readonly string[] {
  return canPin ? ['taskset', '-c', String(core), ...command] : command;
}

/** Binds this process and its children to a core, if the machine supports that. */
export function keepTo(core: number): void {
  if (canPin) spawnSync('taskset', ['-a', '-c', '-p', String(core), String(process.pid)]);
}

/** Whether a program can be started. */
export function isThere(program: string): boolean {
  return spawnSync(program, ['-v'], { stdio: 'ignore' }).error === undefined;
}

/** A server under load. */
export type RunningServer = Awaited<ReturnType<typeof startServer>>;

/** Options of a server's process. */
export interface StartOptions {
  readonly cwd?: string;
  /** The core or cores that it may use. Default: the servers' core; `undefined`: any. */
  readonly core?: number | string | undefined;
  /** The file that its output goes to. */
  readonly log?: string | undefined;
  /** Whether it answers messages. */
  readonly answers?: boolean;
}

/** Node with the sources of this checkout. */
export const NODE: readonly string[] = [
  process.execPath,
  '--conditions=@pinfold/source',
  '--disable-warning=ExperimentalWarning',
];

/** Starts a server and waits until a line of its output says that it is ready. */
export async function startServer(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
  options: StartOptions = {},
) {
  const { core, log, cwd, answers = false } = { core: SERVER_CORE, ...options };
  const [program = '', ...args] = core === undefined ? command : pinned(core, command);
  const output = log === undefined ? 'pipe' : openSync(log, 'w');
  const stdio: StdioOptions = ['ignore', output, 'inherit', ...(answers ? ['ipc' as const] : [])];
  const child = spawn(program, args, { cwd, env: { ...process.env, ...environment }, stdio });
  if (typeof output === 'number') closeSync(output);
  await untilReady(child, log);
  const fail = (code: number | null, signal: string | null) =>
    process.stderr.write(`${args.at(-1)} ended by itself: ${signal ?? code}\n`);
  child.once('exit', fail);
  return {
    process: child,
    pid: child.pid ?? 0,
    /** Sends a message to a script that answers messages; its answer. */
    ask: async <Answer>(question: string): Promise<Answer> => {
      const answer = once(child, 'message');
      child.send(question);
      return (await answer)[0];
    },
    /** Ends it with SIGKILL, however busy it is. */
    stop: (signal?: NodeJS.Signals): Promise<void> => {
      child.off('exit', fail);
      return stop(child, signal);
    },
  };
}

async function untilReady(child: ChildProcess, log: string | undefined): Promise<void> {
  if (log !== undefined) {
    while (child.exitCode === null && !/\bready\b/.test(readFileSync(log, 'utf8'))) await pause(20);
  } else if (child.stdout !== null) {
    for await (const line of createInterface({ input: child.stdout })) if (/\bready\b/.test(line)) break;
    child.stdout.resume();
  }
  if (child.exitCode !== null) throw new Error(`${child.spawnargs.at(-1)} ended with ${child.exitCode}`);
}

/** Ends a process that was started here. */
export async function stop(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}
