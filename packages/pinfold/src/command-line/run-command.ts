import { allCommands, commandsOf, FIRST_WORDS } from './all-commands.ts';
import type { Command } from './command.ts';
import { didYouMean } from './did-you-mean.ts';
import { escapeControlsInLines, jsonLine } from './escape-control-characters.ts';
import { CommandFailure, failureJson, isUnavailable, reasonOf, UsageError } from './failures.ts';
import { helpText } from './help.ts';
import type { Terminal } from './terminal.ts';

export async function runCommand(args: readonly string[], given: Terminal): Promise<number> {
  // Any line may contain text of a server, an archive or an account, which must not act on a terminal.
  const terminal = {
    ...given,
    out: (line: string) => given.out(escapeControlsInLines(line)),
    write: (text: string) => given.write(escapeControlsInLines(text)),
    err: (line: string) => given.err(escapeControlsInLines(line)),
  };
  let name = '';
  try {
    const help = args.findIndex((arg) => arg === '--help' || arg === '-h' || arg === '--');
    if (help !== -1 && args[help] !== '--') {
      terminal.out(helpText(await allCommands(), args.slice(0, help)));
      return 0;
    }
    const [words, rest] =
      args[0] === '--version' ? [['version'], args.slice(1)] : [args.slice(0, 2), args.slice(2)];
    const found = await findCommand(words);
    name = found.name;
    return await found.run([...words.slice(name.split(' ').length), ...rest], terminal);
  } catch (error) {
    // The last line of standard output.
    const json = args.includes('--json') ? failureJson(error) : undefined;
    if (json !== undefined) terminal.out(jsonLine({ error: json }));
    // A reader such as `head` has read what it wanted.
    return isClosedPipe(error) ? 1 : report(error, name, terminal);
  }
}

async function findCommand([first, second]: readonly string[]): Promise<Command> {
  if (first === undefined) throw new UsageError('a command is missing');
  const commands = await commandsOf(first);
  if (commands.length === 0) throw new UsageError(`Unknown command${quoted(first, FIRST_WORDS)}`);
  const found = commands.find(({ name }) => name === first || name === `${first} ${second}`);
  if (found !== undefined) return found;
  const actions = commands.map(({ name }) => name.slice(first.length + 1));
  const hint = second === undefined ? '' : didYouMean(second, actions);
  throw new UsageError(`${first} needs one of ${actions.join(', ')}${hint}`);
}

/** Repeats a word only if it is close to a known one: it may be a secret. */
function quoted(word: string, known: readonly string[]): string {
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
      name === ''
        ? '"pinfold help" lists the commands'
        : `${isSentence ? 'See' : 'see'} "pinfold help ${name}"`;
    err(`pinfold: ${error.message}${isSentence ? ' ' : '; '}${help}`);
    return 2;
  }
  err(`pinfold: ${reasonOf(error)}`);
  if (error instanceof CommandFailure) return error.exitCode;
  return isUnavailable(error) ? 3 : 1;
}
