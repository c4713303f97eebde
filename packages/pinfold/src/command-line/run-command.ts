import { createAboutCommands, formatHelp } from '../commands/about.ts';
import type { Command } from './command.ts';
import { didYouMean } from './did-you-mean.ts';
import { CommandFailure, formatReason, isUnavailable, toFailureJson, UsageError } from './failures.ts';
import { escapeControlsInLines, formatJsonLine, type Terminal } from './terminal.ts';

type Load = () => Promise<{ readonly commands: readonly Command[] }>;

/** The files of the commands by first word, in the order of the help. Each is loaded on demand: a start is faster. */
const FILES: readonly (readonly [load: Load, ...words: readonly string[]])[] = [
  [() => import('../commands/publish.ts'), 'publish'],
  [
    () => import('../commands/publications.ts'),
    ...['list', 'show', 'rename', 'password', 'renew', 'stop', 'open', 'save'],
  ],
  [() => import('../commands/names.ts'), 'names'],
  [() => import('../commands/mcp.ts'), 'mcp'],
  [() => import('../commands/service.ts'), 'serve', 'migrate'],
  [() => import('../commands/sessions.ts'), 'manage', 'sessions'],
  [() => import('../commands/keys.ts'), 'keys'],
  [() => import('../commands/accounts.ts'), 'accounts'],
  [() => import('../commands/admin-publications.ts'), 'pins', 'pin', 'unpin'],
  [() => import('../commands/takedowns.ts'), 'takedowns'],
  [() => import('../commands/service.ts'), 'mode'],
  [() => import('../commands/history.ts'), 'history'],
  [() => import('../commands/cleanup.ts'), 'cleanup'],
  [() => import('../commands/service.ts'), 'doctor'],
  [() => import('../commands/backups.ts'), 'export', 'import', 'copy', 'verify'],
  [() => import('../commands/login.ts'), 'login', 'logout', 'whoami'],
  [async () => ({ commands: createAboutCommands(allCommands) }), 'completion', 'version', 'help'],
];

const FIRST_WORDS: readonly string[] = FILES.flatMap(([, ...words]) => words);

/** The commands that begin with a word; empty if there are none. */
async function loadCommands(word: string): Promise<readonly Command[]> {
  const [load] = FILES.find(([, ...words]) => words.includes(word)) ?? [];
  const { commands } = (await load?.()) ?? { commands: [] };
  return commands.filter(({ name }) => name.split(' ')[0] === word);
}

export async function allCommands(): Promise<readonly Command[]> {
  return (await Promise.all(FIRST_WORDS.map(loadCommands))).flat();
}

export async function runCommand(args: readonly string[], rawTerminal: Terminal): Promise<number> {
  // Output may contain text from a server, an archive or an account, which must not control the terminal.
  const terminal = {
    ...rawTerminal,
    out: (line: string) => rawTerminal.out(escapeControlsInLines(line)),
    write: (text: string) => rawTerminal.write(escapeControlsInLines(text)),
    err: (line: string) => rawTerminal.err(escapeControlsInLines(line)),
  };
  let name = '';
  try {
    // Arguments after `--` are values, even `--help`.
    const at = args.findIndex((arg) => arg === '--help' || arg === '-h' || arg === '--');
    if (at !== -1 && args[at] !== '--') {
      terminal.out(formatHelp(await allCommands(), args.slice(0, at)));
      return 0;
    }
    const [words, rest] =
      args[0] === '--version' ? [['version'], args.slice(1)] : [args.slice(0, 2), args.slice(2)];
    const found = await findCommand(words);
    name = found.name;
    return await found.run([...words.slice(name.split(' ').length), ...rest], terminal);
  } catch (error) {
    // The last line of standard output is the outcome, even after other output.
    const json = args.includes('--json') ? toFailureJson(error) : undefined;
    if (json !== undefined) terminal.out(formatJsonLine({ error: json }));
    // A reader such as `head` closes the pipe when it has enough.
    return isClosedPipe(error) ? 1 : report(error, name, terminal);
  }
}

async function findCommand([first, second]: readonly string[]): Promise<Command> {
  if (first === undefined) throw new UsageError('a command is missing');
  const commands = await loadCommands(first);
  if (commands.length === 0) throw new UsageError(`Unknown command${quoteIfKnown(first, FIRST_WORDS)}`);
  const found = commands.find(({ name }) => name === first || name === `${first} ${second}`);
  if (found !== undefined) return found;
  const actions = commands.map(({ name }) => name.slice(first.length + 1));
  const hint = second === undefined ? '' : didYouMean(second, actions);
  throw new UsageError(`${first} needs one of ${actions.join(', ')}${hint}`);
}

/** Repeats a word only if it is close to a known one: otherwise it may be a secret. */
function quoteIfKnown(word: string, known: readonly string[]): string {
  const hint = didYouMean(word, known);
  return hint === '' ? '' : ` ${word}${hint}`;
}

function isClosedPipe(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE';
}

function report(error: unknown, name: string, { err }: Terminal): number {
  if (error instanceof UsageError) {
    const isSentence = /[.?]$/.test(error.message);
    const help =
      name === '' || name === 'help'
        ? '"pinfold help" lists the commands'
        : `${isSentence ? 'See' : 'see'} "pinfold help ${name}"`;
    err(`pinfold: ${error.message}${isSentence ? ' ' : '; '}${help}`);
    return 2;
  }
  err(`pinfold: ${formatReason(error)}`);
  if (error instanceof CommandFailure) return error.exitCode;
  return isUnavailable(error) ? 3 : 1;
}
