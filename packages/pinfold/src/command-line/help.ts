import { UsageError } from './failures.ts';
import { optionsOf } from './options.ts';
import { ABOUT, BY_THE_API, ON_THE_MACHINE, USAGES, type Usage } from './usages.ts';

/** Where the words of a command or an option begin. */
const COLUMN = 27;

const HELP = `pinfold: folders become links

On the machine of a server, with its settings, the PINFOLD_ environment variables:
${linesOf(ON_THE_MACHINE)}

No API key is needed for these, and no running server: whoever may read its data folder may do all this. publish goes
to a server elsewhere, too.

By the API of the server that PINFOLD_URL names, with the key in PINFOLD_KEY:
${linesOf(BY_THE_API)}

${linesOf(ABOUT)}

An ID may be the whole shared URL. "pinfold help COMMAND" has the options of a command and an example.
Every command but serve, completion and help takes --json, for scripts: one JSON document on standard output.
Exit codes: 0 done, 1 failed, 2 called wrongly.`;

/** What `pinfold help` says: of everything, or of the commands that begin with these words. */
export function helpOn(words: readonly string[]): string {
  if (words.length === 0) return HELP;
  const usages: readonly (readonly [string, Usage])[] = Object.entries(USAGES);
  // What comes after a command is of no concern to its help: "pinfold publish ./dist --help".
  const meant = usages.filter(([name]) => isBeginning(name.split(' '), words));
  if (meant.length === 0) throw new UsageError('there is no such command');
  return meant.map(([name, usage]) => sectionOf(name, usage)).join('\n\n');
}

function isBeginning(name: readonly string[], words: readonly string[]): boolean {
  return name.every((word, index) => words[index] === undefined || words[index] === word);
}

function linesOf(usages: Readonly<Record<string, Usage>>): string {
  return Object.entries(usages)
    .map(([name, usage]) => columns(callOf(name, usage), usage.says))
    .join('\n');
}

function callOf(name: string, { takes }: Usage): string {
  return `  ${name}${takes === undefined ? '' : ` ${takes}`}`;
}

function sectionOf(name: string, usage: Usage): string {
  const lines = Object.entries(optionsOf(name)).map(([option, { value, says }]) =>
    columns(`  --${option}${value === undefined ? '' : ` ${value}`}`, says),
  );
  return [
    `pinfold${callOf(name, usage).slice(1)}`,
    `  ${usage.says}`,
    ...lines,
    '  for example:',
    `    ${usage.example}`,
  ].join('\n');
}

function columns(left: string, right: string): string {
  return `${left.padEnd(COLUMN - 1)} ${right.replaceAll('\n', `\n${' '.repeat(COLUMN)}`)}`;
}
