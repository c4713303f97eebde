import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

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

/** Starts a server on the servers' core and waits until it says in a line that it is ready. */
export async function startServer(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<RunningServer> {
  const [program = '', ...args] = pinned(SERVER_CORE, command);
  const child = spawn(program, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) if (/\bready\b/.test(line)) break;
  child.stdout.resume();
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
