import { posix } from 'node:path';
import { type Command, command, type Group } from '../command-line/command.ts';
import { UsageError } from '../command-line/failures.ts';
import { readRelease } from '../release.ts';

const SHELLS: Readonly<Record<string, (completions: Completions) => string>> = {
  bash: formatBash,
  zsh: formatZsh,
  fish: formatFish,
};

const version = command({
  name: 'version',
  group: 'about',
  help: 'print the release of this program, as --version does',
  example: 'pinfold version',
  run: async () => {
    const version = await readRelease();
    return { json: { version }, text: version };
  },
});

export function createAboutCommands(loadCommands: () => Promise<readonly Command[]>): readonly Command[] {
  const help = command({
    name: 'help',
    group: 'about',
    arguments: ['[COMMAND]', '[ACTION]'],
    json: false,
    help: 'list the commands, or explain the options of one',
    example: 'pinfold help publish',
    run: async (words, _, { out }) => {
      const namedWords = words.filter((word) => word !== undefined);
      out(formatHelp(await loadCommands(), namedWords));
    },
  });

  const completion = command({
    name: 'completion',
    group: 'about',
    arguments: ['SHELL'],
    json: false,
    help: 'print the script that completes commands and options in bash, zsh or fish',
    example: 'eval "$(pinfold completion bash)"',
    guide: 'command.md#completion',
    run: async ([shell], _, { out }) => {
      const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
      if (script === undefined)
        throw new UsageError(`SHELL must be one of ${Object.keys(SHELLS).join(', ')}`);
      out(script(collectCompletions(await loadCommands())));
    },
  });
  return [completion, version, help];
}

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

/** Maps a command, or its first word, to the words that can follow. No name needs quotes in a shell. */
type Completions = ReadonlyMap<string, readonly string[]>;

function collectCompletions(commands: readonly Command[]): Completions {
  const found = new Map<string, string[]>();
  for (const { name, options } of commands) {
    const [first = '', second] = name.split(' ');
    if (!found.has(first)) found.set(first, []);
    if (second !== undefined) found.get(first)?.push(second);
    const words = [...Object.keys(options), 'help'].map((option) => `--${option}`);
    found.set(name, [...(found.get(name) ?? []), ...words]);
  }
  return found;
}

function formatFirstWords(completions: Completions): string {
  return [...completions.keys()].filter((name) => !name.includes(' ')).join(' ');
}

function formatCases(completions: Completions, formatBody: (words: readonly string[]) => string): string {
  const sorted = [...completions].filter(([, words]) => words.length > 0);
  // The first matching pattern wins, so two words come before one.
  sorted.sort(([one], [other]) => other.split(' ').length - one.split(' ').length);
  return sorted
    .map(([name, words]) => `    '${name}${name.includes(' ') ? "'" : " '*"}) ${formatBody(words)} ;;`)
    .join('\n');
}

function formatBash(completions: Completions): string {
  return `_pinfold() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '${formatFirstWords(completions)}' -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${formatCases(completions, (words) => `words='${words.join(' ')}'`)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _pinfold pinfold`;
}

function formatZsh(completions: Completions): string {
  return `#compdef pinfold
_pinfold() {
  local -a candidates
  if ((CURRENT == 2)); then
    candidates=(${formatFirstWords(completions)})
  else
    case "$words[2] $words[3]" in
${formatCases(completions, (words) => `candidates=(${words.join(' ')})`)}
    esac
  fi
  compadd -- $candidates
  [[ $PREFIX == -* ]] || ((CURRENT == 2)) || _files
}
compdef _pinfold pinfold`;
}

function formatFish(completions: Completions): string {
  const lines = [...completions].flatMap(([name, words]) => {
    const seen = name.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
    return words.map((word) => `complete -c pinfold -n '${seen.join('; and ')}' ${formatFishWord(word)}`);
  });
  return [
    `complete -c pinfold -n __fish_use_subcommand -f -a '${formatFirstWords(completions)}'`,
    ...lines,
  ].join('\n');
}

function formatFishWord(word: string): string {
  return word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${word}`;
}
