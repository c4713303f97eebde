import { type Command, command } from '../command-line/command.ts';
import { UsageError } from '../command-line/failures.ts';
import { helpText } from '../command-line/help.ts';
import { release } from '../release.ts';

const SHELLS: Readonly<Record<string, (followers: Followers) => string>> = { bash, zsh, fish };

const version = command({
  name: 'version',
  group: 'about',
  help: 'print the release of this program; --version does so, too',
  example: 'pinfold version',
  run: async () => {
    const version = await release();
    return { json: { version }, text: version };
  },
});

export function commandsAbout(all: () => Promise<readonly Command[]>): readonly Command[] {
  const help = command({
    name: 'help',
    group: 'about',
    arguments: ['[COMMAND]', '[ACTION]'],
    json: false,
    help: 'list the commands, or explain the options of one',
    example: 'pinfold help publish',
    run: async (words, _, { out }) => {
      const given = words.filter((word) => word !== undefined);
      out(helpText(await all(), given));
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
      out(script(followersOf(await all())));
    },
  });
  return [completion, version, help];
}

/** The words that may follow one or two words. No name of a command or an option needs quotes. */
type Followers = ReadonlyMap<string, readonly string[]>;

function followersOf(all: readonly Command[]): Followers {
  const found = new Map<string, string[]>();
  for (const { name, options } of all) {
    const [first = '', second] = name.split(' ');
    if (!found.has(first)) found.set(first, []);
    if (second !== undefined) found.get(first)?.push(second);
    const words = [...Object.keys(options), 'help'].map((option) => `--${option}`);
    found.set(name, [...(found.get(name) ?? []), ...words]);
  }
  return found;
}

function firstWords(followers: Followers): string {
  return [...followers.keys()].filter((name) => !name.includes(' ')).join(' ');
}

function cases(followers: Followers, of: (words: readonly string[]) => string): string {
  const byWords = [...followers].filter(([, words]) => words.length > 0);
  // The first matching pattern wins, so two words come before one.
  byWords.sort(([one], [other]) => other.split(' ').length - one.split(' ').length);
  return byWords
    .map(([name, words]) => `    '${name}${name.includes(' ') ? "'" : " '*"}) ${of(words)} ;;`)
    .join('\n');
}

function bash(followers: Followers): string {
  return `_pinfold() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '${firstWords(followers)}' -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${cases(followers, (words) => `words='${words.join(' ')}'`)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _pinfold pinfold`;
}

function zsh(followers: Followers): string {
  return `#compdef pinfold
_pinfold() {
  local -a candidates
  if ((CURRENT == 2)); then
    candidates=(${firstWords(followers)})
  else
    case "$words[2] $words[3]" in
${cases(followers, (words) => `candidates=(${words.join(' ')})`)}
    esac
  fi
  compadd -- $candidates
  [[ $PREFIX == -* ]] || ((CURRENT == 2)) || _files
}
compdef _pinfold pinfold`;
}

function fish(followers: Followers): string {
  const lines = [...followers].flatMap(([name, words]) => {
    const seen = name.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
    return words.map((word) => `complete -c pinfold -n '${seen.join('; and ')}' ${fishWord(word)}`);
  });
  return [`complete -c pinfold -n __fish_use_subcommand -f -a '${firstWords(followers)}'`, ...lines].join(
    '\n',
  );
}

function fishWord(word: string): string {
  return word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${word}`;
}
