import { isFault } from '@pinfold/core';
import { jsonLine, shownLines } from './escape-control-characters.ts';
import { CommandFailure, UsageError } from './failures.ts';
import { helpOn } from './help.ts';
import type { Terminal } from './terminal.ts';
import type { CommandName } from './usages.ts';

/** Carries out a command with its arguments. */
export type Command = (args: readonly string[], terminal: Terminal) => Promise<void>;

/** A command is loaded when it is called: each needs only a part of all there is. */
const COMMANDS: Readonly<Record<Exclude<CommandName, 'serve'>, () => Promise<Command>>> = {
  publish: async () => (await import('../commands/publish.ts')).publish,
  pin: async () => (await import('../commands/pin.ts')).pin,
  unpin: async () => (await import('../commands/pin.ts')).unpin,
  manage: async () => (await import('../commands/manage.ts')).manage,
  keys: async () => (await import('../commands/keys.ts')).keys,
  accounts: async () => (await import('../commands/accounts.ts')).accounts,
  pins: async () => (await import('../commands/pins.ts')).pins,
  takedowns: async () => (await import('../commands/takedowns.ts')).takedowns,
  sessions: async () => (await import('../commands/sessions.ts')).sessions,
  mode: async () => (await import('../commands/mode.ts')).mode,
  history: async () => (await import('../commands/history.ts')).history,
  cleanup: async () => (await import('../commands/cleanup.ts')).cleanup,
  doctor: async () => (await import('../commands/doctor.ts')).doctor,
  export: async () => (await import('../commands/export.ts')).exportAll,
  import: async () => (await import('../commands/import.ts')).importAll,
  copy: async () => (await import('../commands/copy.ts')).copy,
  verify: async () => (await import('../commands/verify.ts')).verify,
  migrate: async () => (await import('../commands/migrate.ts')).migrate,
  login: async () => (await import('../commands/login.ts')).login,
  list: async () => (await import('../commands/list.ts')).list,
  show: async () => (await import('../commands/show.ts')).show,
  rename: async () => (await import('../commands/change.ts')).rename,
  password: async () => (await import('../commands/change.ts')).password,
  renew: async () => (await import('../commands/change.ts')).renew,
  stop: async () => (await import('../commands/change.ts')).stop,
  open: async () => (await import('../commands/open.ts')).open,
  completion: async () => (await import('../commands/completion.ts')).completion,
  version: async () => (await import('../commands/version.ts')).version,
  help:
    async () =>
    async (words, { out }) =>
      out(helpOn(words)),
};

/**
 * Carries out `pinfold` with its arguments; resolves with the exit code.
 *
 * @example
 * import { runCommand } from 'pinfold';
 *
 * const terminal = { env: process.env, out: console.log, err: console.error };
 * process.exitCode = await runCommand(['version'], terminal);
 */
export async function runCommand(args: readonly string[], given: Terminal): Promise<number> {
  // Any line may contain text of a server, an archive or an account, which must not act on a terminal.
  const terminal = {
    ...given,
    out: (line: string) => given.out(shownLines(line)),
    err: (line: string) => given.err(shownLines(line)),
  };
  try {
    const asked = args.findIndex((arg) => arg === '--help' || arg === '-h');
    const [first, ...rest] = asked === -1 ? args : ['help', ...args.slice(0, asked)];
    const name = first === '--version' ? 'version' : first;
    if (name === undefined) throw new UsageError('a command is missing');
    if (name === 'serve') return await serve(rest, terminal);
    if (!isCommand(name)) throw new UsageError('there is no such command');
    await (await COMMANDS[name]())(rest, terminal);
    return 0;
  } catch (error) {
    if (args.includes('--json')) printJson(error, terminal);
    return report(error, terminal);
  }
}

function isCommand(name: string): name is keyof typeof COMMANDS {
  return Object.hasOwn(COMMANDS, name);
}

async function serve(args: readonly string[], { env }: Terminal): Promise<number> {
  if (args.length > 0) throw new UsageError('serve takes its settings from the environment and no arguments');
  const [{ createApp }, { readSettings }, { runUntilStopped }] = await Promise.all([
    import('../compose/create-app.ts'),
    import('../settings/settings.ts'),
    import('../start/run-until-stopped.ts'),
  ]);
  return runUntilStopped(async () => createApp(readSettings(env)));
}

function report(error: unknown, { err }: Terminal): number {
  if (error instanceof UsageError) {
    err(`pinfold: ${error.message}; "pinfold help" lists what there is`);
    return 2;
  }
  err(`pinfold: ${reasonOf(error)}`);
  return 1;
}

/** Prints what a script can tell apart, as the last line of standard output. */
function printJson(error: unknown, { out }: Terminal): void {
  if (error instanceof UsageError) out(jsonLine({ error: { code: 'usage', detail: error.message } }));
  else if (error instanceof CommandFailure && error.json !== undefined) out(jsonLine({ error: error.json }));
}

/** One line for what a user can act on; a bug keeps its stack. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'failed';
  if (error instanceof CommandFailure || error.name === 'SettingsError') return error.message;
  if (!isFault(error)) return error.stack ?? error.message;
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return `${error.message} (${error.code})${cause}`;
}
