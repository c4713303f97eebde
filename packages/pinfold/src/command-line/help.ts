import { posix } from 'node:path';
import type { Command, Group } from './command.ts';
import { UsageError } from './failures.ts';

const COLUMN = 27;

const GROUPS: Readonly<Record<Group, string>> = {
  publications:
    'Your publications, in the first of these that is set: --url, PINFOLD_DATA_DIR, PINFOLD_URL, a login, ./data:',
  service:
    "The service, on the server's machine with the server's settings, the PINFOLD_ environment variables.\nThese need no API key and no running server: access to the data folder is enough.",
  about: 'The command itself:',
};

export function formatHelp(commands: readonly Command[], words: readonly string[]): string {
  if (words.length === 0) return formatOverview(commands);
  // "pinfold publish ./dist --help" explains publish: words after the command are ignored.
  const found = commands.filter(({ name }) =>
    name.split(' ').every((word, index) => words[index] === undefined || words[index] === word),
  );
  if (found.length === 0) throw new UsageError('this command does not exist');
  return found.map(formatSection).join('\n\n');
}

function formatOverview(commands: readonly Command[]): string {
  const groups = Object.entries(GROUPS).map(([group, title]) => {
    const lines = commands.filter((command) => command.group === group);
    return [title, ...lines.map((command) => formatColumns(`  ${formatCall(command)}`, command.help))].join(
      '\n',
    );
  });
  return `pinfold: folders become links

${groups.join('\n\n')}

An ID may be a whole shared URL. "pinfold help COMMAND" explains the options of a command and has an example.
Every command but mcp, serve, completion and help takes --json: it prints one JSON document on standard output.
Exit codes: 0 done; 1 refused or failed; 2 wrong usage; 3 unavailable, try again later; 129, 130, 143 ended by a signal.`;
}

function formatCall({ name, arguments: names }: Command): string {
  return [name, ...names].join(' ');
}

function formatSection(command: Command): string {
  const options = Object.entries(command.options).map(([name, option]) =>
    formatColumns(`  --${name}${'value' in option ? ` ${option.value}` : ''}`, option.help),
  );
  return [
    `pinfold ${formatCall(command)}`,
    `  ${command.help}`,
    ...options,
    '  Example:',
    `    ${command.example}`,
    ...(command.guide === undefined ? [] : [`  More: ${posix.join('docs/operators', command.guide)}`]),
  ].join('\n');
}

function formatColumns(left: string, right: string): string {
  return `${left.padEnd(COLUMN - 1)} ${right.replaceAll('\n', `\n${' '.repeat(COLUMN)}`)}`;
}
