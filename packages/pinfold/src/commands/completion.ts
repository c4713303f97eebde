import { readArguments } from '../command-line/arguments.ts';
import { UsageError } from '../command-line/failures.ts';
import { optionsOf } from '../command-line/options.ts';
import type { Terminal } from '../command-line/terminal.ts';
import { USAGES } from '../command-line/usages.ts';

const SHELLS: Readonly<Record<string, () => string>> = { bash, zsh, fish };

/** `pinfold completion SHELL` */
export async function completion(args: readonly string[], { out }: Terminal): Promise<void> {
  const { positionals } = readArguments(args, ['SHELL'], {});
  const shell = positionals[0] ?? '';
  const script = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
  if (script === undefined) throw new UsageError(`SHELL is one of ${Object.keys(SHELLS).join(', ')}`);
  out(script());
}

/** The words that may follow each word or two; no name of a command or an option needs quotes. */
function followers(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const name of Object.keys(USAGES)) {
    const [first = '', second] = name.split(' ');
    if (!found.has(first)) found.set(first, []);
    if (second !== undefined) found.get(first)?.push(second);
    found.set(name, [...(found.get(name) ?? []), ...optionWords(name)]);
  }
  return found;
}

function optionWords(name: string): readonly string[] {
  const common = name === 'serve' ? ['--help'] : ['--json', '--help'];
  return [...Object.keys(optionsOf(name)).map((option) => `--${option}`), ...common];
}

function firstWords(): readonly string[] {
  return [...new Set(Object.keys(USAGES).map((name) => name.split(' ')[0] ?? ''))];
}

function cases(of: (words: readonly string[]) => string): string {
  const byWords = [...followers()].filter(([, words]) => words.length > 0);
  // Two words before one: the first pattern that fits is taken.
  byWords.sort(([one], [other]) => other.split(' ').length - one.split(' ').length);
  return byWords
    .map(([name, words]) => `    '${name}${name.includes(' ') ? "'" : " '*"}) ${of(words)} ;;`)
    .join('\n');
}

function bash(): string {
  return `_pinfold() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '${firstWords().join(' ')}' -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${cases((words) => `words='${words.join(' ')}'`)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _pinfold pinfold`;
}

function zsh(): string {
  return `#compdef pinfold
_pinfold() {
  local -a candidates
  if ((CURRENT == 2)); then
    candidates=(${firstWords().join(' ')})
  else
    case "$words[2] $words[3]" in
${cases((words) => `candidates=(${words.join(' ')})`)}
    esac
  fi
  compadd -- $candidates
  [[ $PREFIX == -* ]] || ((CURRENT == 2)) || _files
}
compdef _pinfold pinfold`;
}

function fish(): string {
  const lines = [...followers()].flatMap(([name, words]) => {
    const seen = name.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
    return words.map((word) => `complete -c pinfold -n '${seen.join('; and ')}' ${fishWord(word)}`);
  });
  return [`complete -c pinfold -n __fish_use_subcommand -f -a '${firstWords().join(' ')}'`, ...lines].join(
    '\n',
  );
}

function fishWord(word: string): string {
  return word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${word}`;
}
