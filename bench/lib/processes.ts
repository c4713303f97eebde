import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

/** The cores that servers and loads keep to: never the same. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

const canPin = spawnSync('taskset', ['--version']).status === 0;

/** The command on one core, where the machine can do that. */
export function pinned(core: number, command: readonly string[]): readonly string[] {
  return canPin ? ['taskset', '-c', String(core), ...command] : command;
}

/** Keeps this process and what it starts to a core, where the machine can do that. */
export function keepTo(core: number): void {
  if (canPin) spawnSync('taskset', ['-a', '-c', '-p', String(core), String(process.pid)]);
}

/** Whether a program can be started. */
export function isThere(program: string): boolean {
  return spawnSync(program, ['-v'], { stdio: 'ignore' }).error === undefined;
}

/** A server under load, which ends with `stop`. */
export interface RunningServer {
  readonly process: ChildProcess;
  stop(): Promise<void>;
}

/** Starts a server on the servers' core and waits until it says in a line that it is ready: to us, or in a file. */
export async function startServer(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
  log?: string,
): Promise<RunningServer> {
  const [program = '', ...args] = pinned(SERVER_CORE, command);
  const output = log === undefined ? 'pipe' : openSync(log, 'w');
  const env = { ...process.env, ...environment };
  const child = spawn(program, args, { env, stdio: ['ignore', output, 'inherit'] });
  if (typeof output === 'number') closeSync(output);
  await untilReady(child, log);
  const tell = (code: number | null, signal: string | null) =>
    process.stderr.write(`${args.at(-1)} ended by itself: ${signal ?? code}\n`);
  child.once('exit', tell);
  return {
    process: child,
    stop: () => {
      child.off('exit', tell);
      return stop(child);
    },
  };
}

async function untilReady(child: ChildProcess, log: string | undefined): Promise<void> {
  if (log !== undefined) {
    while (child.exitCode === null && !/\bready\b/.test(readFileSync(log, 'utf8'))) await pause(20);
    return;
  }
  const { stdout } = child;
  if (stdout === null) return;
  for await (const line of createInterface({ input: stdout })) if (/\bready\b/.test(line)) break;
  stdout.resume();
}

/** Ends a process that was started here. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

/** A port nobody listens on. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  probe.listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
