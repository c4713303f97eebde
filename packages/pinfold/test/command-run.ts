import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { runCommand } from '../src/command-line/run-command.ts';
import type { Terminal } from '../src/command-line/terminal.ts';

/** The result of a run of the command. */
export interface CommandRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export type Env = Readonly<Record<string, string>>;

/** Runs the command in this process, without standard input and without a person. */
export function run(env: Env, ...args: readonly string[]): Promise<CommandRun> {
  return runWith({}, env, ...args);
}

/** Runs the command in this process with standard input; a secret is its first line. */
export function runPiped(input: string, env: Env, ...args: readonly string[]): Promise<CommandRun> {
  const secret = async (): Promise<string> => input.split('\n', 1)[0] ?? '';
  return runWith({ input: async () => new TextEncoder().encode(input), secret }, env, ...args);
}

/** Runs the command in this process at a terminal with further abilities. */
export async function runWith(
  { err: onErrorLine, ...abilities }: Partial<Terminal>,
  env: Env,
  ...args: readonly string[]
): Promise<CommandRun> {
  let out = '';
  let err = '';
  const code = await runCommand(args, {
    ...abilities,
    env,
    out: (line) => {
      out += `${line}\n`;
    },
    write: async (text) => {
      out += text;
    },
    err: (line) => {
      err += `${line}\n`;
      onErrorLine?.(line);
    },
  });
  return { code, out, err };
}

/** The exit code of a command with `--json` that failed, and the code of its error, as in `1 not_found`. */
export function failureOf({ code, out }: Pick<CommandRun, 'code' | 'out'>): string {
  return `${code} ${JSON.parse(out).error?.code}`;
}

/** Flags of Node for a program that runs from its sources. */
export const FLAGS: readonly string[] = [
  '--conditions=@pinfold/source',
  '--disable-warning=ExperimentalWarning',
];

const { SERVER_PRELOAD: preload } = process.env;
/** Programs load their packages from the bundle that `npm test` creates. */
export const FROM_BUNDLE: readonly string[] = preload === undefined ? [] : [preload];

type Program = readonly [program: string, ...args: readonly string[]];

const MAIN = join(import.meta.dirname, '..', 'src', 'main.ts');
/** The command as a process: a program and its first arguments. */
export const COMMAND: Program = [process.execPath, ...FLAGS, ...FROM_BUNDLE, MAIN];
/** The command from its sources, for tests of what it loads. */
export const COMMAND_OF_SOURCES: Program = [process.execPath, ...FLAGS, MAIN];

/** Starts the command as a process, as an operator does. */
export function spawnCommand(
  env: Env,
  ...args: readonly string[]
): ChildProcess & { stdout: NodeJS.ReadableStream } {
  return spawnIn(env, [...COMMAND, ...args]);
}

/** Starts the command with a limit on the size of files, in blocks of 512 or 1,024 bytes. */
export function spawnWithSmallFiles(env: Env, blocks: number, ...args: readonly string[]): ChildProcess {
  return spawnIn(env, ['sh', '-c', `ulimit -f ${blocks}; exec "$@"`, 'sh', ...COMMAND, ...args]);
}

function spawnIn(
  env: Env,
  [program, ...args]: readonly [string, ...string[]],
): ChildProcess & { stdout: NodeJS.ReadableStream } {
  return spawn(program, args, { env: { ...inheritedEnv(), ...env } });
}

/** The environment of this process, without settings of Pinfold and options of Node. */
export function inheritedEnv(): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('PINFOLD_'));
  return { ...Object.fromEntries(others), NODE_OPTIONS: '' };
}

/** Runs the command as a process to its end, for tests of its exit code and its pipes. */
export async function runProcess(env: Env, args: readonly string[], input: string = ''): Promise<CommandRun> {
  const child = spawnCommand(env, ...args);
  child.stdin?.end(input);
  return await endOf(child);
}

/** Collects the output of a process until its end. */
export async function endOf(child: ChildProcess): Promise<CommandRun> {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('there is no standard output or error');
  const [out, err, [code]] = await Promise.all([text(stdout), text(stderr), once(child, 'close')]);
  return { code: Number(code), out, err };
}
