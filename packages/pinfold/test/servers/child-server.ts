import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { FLAGS, FROM_BUNDLE, inheritedEnv } from '../command-run.ts';

/** A server in a separate process. */
export interface ChildServer {
  readonly process: ChildProcessWithoutNullStreams;
  /** Everything that it has written so far, on both outputs. */
  output(): string;
  /** Resolves with the first match in its output; rejects if the process ends before. */
  untilOutput(pattern: RegExp): Promise<RegExpExecArray>;
  /** The public URL, once it listens. */
  url(): Promise<string>;
  /** Resolves with the exit code and the signal. */
  ended(): Promise<readonly [code: number | null, signal: NodeJS.Signals | null]>;
}

const SERVER = 'serve.ts';

const running = new Set<ChildProcessWithoutNullStreams>();

afterEach(async () => {
  const ended = [...running].map((child) => once(child, 'close'));
  for (const child of running) child.kill('SIGKILL');
  await Promise.all(ended);
});

/** The arguments of Node for a script of this folder. */
export function programOf(script: string): readonly string[] {
  return [...FLAGS, ...(script === SERVER ? FROM_BUNDLE : []), join(import.meta.dirname, script)];
}

/** Starts a script without this process's settings, except the given ones. It is killed when the test has ended. */
export function startChild(env: Readonly<Record<string, string>>, script: string = SERVER): ChildServer {
  const child = spawn(process.execPath, programOf(script), {
    env: { ...inheritedEnv(), PINFOLD_PORT: '0', ...env },
  });
  running.add(child);
  child.once('close', () => running.delete(child));
  let output = '';
  const seen = new Set<() => void>();
  const take = (chunk: Buffer): void => {
    output += chunk;
    for (const check of seen) check();
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  const exit = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const untilOutput = (pattern: RegExp): Promise<RegExpExecArray> => {
    const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
    const check = (): void => {
      const match = pattern.exec(output);
      if (match !== null) resolve(match);
    };
    seen.add(check);
    check();
    exit.then(() => reject(new Error(`ended without saying ${pattern}: ${output}`)), reject);
    return promise.finally(() => seen.delete(check));
  };
  return {
    process: child,
    output: () => output,
    untilOutput,
    url: async () => (await untilOutput(/"url":"([^"]+)".*"listening/))[1] ?? '',
    ended: () => exit,
  };
}
