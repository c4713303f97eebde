import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** The arguments of Node that make it the command of these sources: a bundle would not use what the tests replace in them. */
const SOURCES: readonly string[] = [
  '--conditions=@pinfold/source',
  '--disable-warning=ExperimentalWarning',
  join(import.meta.dirname, '../../packages/pinfold/src/main.ts'),
];

/** A server with all its processes. */
export interface Server {
  readonly url: string;
  /** Returns when every process is stopped. */
  stop(): Promise<void>;
  resume(): void;
  /** Asks it to end, and returns when it has. */
  end(): Promise<void>;
  kill(): Promise<void>;
}

/** Starts a server on a free port. Its log is a file beside the data folder. */
export async function startServer(
  data: string,
  key: string,
  env: NodeJS.ProcessEnv,
  command: readonly string[] = SOURCES,
): Promise<Server> {
  const path = `${data}.log`;
  const log = openSync(path, 'w', 0o600);
  const child = spawn(process.execPath, [...command, 'serve'], {
    detached: true,
    stdio: ['ignore', log, log],
    env: {
      ...process.env,
      PINFOLD_PORT: '0',
      PINFOLD_DATA_DIR: data,
      PINFOLD_API_KEY: key,
      PINFOLD_WELCOME: 'off',
      PINFOLD_RATE_REQUESTS: 'off',
      PINFOLD_RATE_PUBLICATIONS: 'off',
      ...env,
    },
  });
  closeSync(log);
  const ended = once(child, 'exit');
  const signal = (name: NodeJS.Signals): void => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-Number(child.pid), name);
  };
  const endBy = async (name: NodeJS.Signals): Promise<void> => {
    signal(name);
    await ended;
  };
  const end = (): Promise<void> => endBy('SIGTERM');
  const kill = (): Promise<void> => endBy('SIGKILL');
  try {
    const url = await addressIn(path, child);
    const stop = async (): Promise<void> => {
      signal('SIGSTOP');
      while (!isStopped(Number(child.pid))) await pause(1);
    };
    return { url, stop, resume: () => signal('SIGCONT'), end, kill };
  } catch (error) {
    await kill();
    throw error;
  }
}

async function addressIn(log: string, child: ChildProcess): Promise<string> {
  for (;;) {
    const output = readFileSync(log, 'utf8');
    const url = /"url":"([^"]+)".*"listening/.exec(output)?.[1];
    if (url !== undefined) return url;
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`the server does not start: ${output}`);
    await pause(20);
  }
}

/** Whether each thread of a group of processes is stopped or gone; Linux reports the state and the group (proc(5)). */
function isStopped(group: number): boolean {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return processes.every((id) => {
    const [state, , of] = statOf(`/proc/${id}/stat`);
    if (of !== String(group)) return true;
    return (
      /[TZX]/.test(state ?? 'X') && threadsOf(id).every((thread) => /[TZX]/.test(statOf(thread)[0] ?? 'X'))
    );
  });
}

function threadsOf(id: string): readonly string[] {
  try {
    return readdirSync(`/proc/${id}/task`).map((thread) => `/proc/${id}/task/${thread}/stat`);
  } catch {
    return [];
  }
}

/** The fields after the command's name, which may have spaces and brackets: state, parent, group and more. */
function statOf(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  } catch {
    return [];
  }
}
