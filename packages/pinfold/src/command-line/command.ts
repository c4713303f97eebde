import { parseArgs } from 'node:util';
import { didYouMean } from './did-you-mean.ts';
import { UsageError } from './failures.ts';
import { escapeControls, formatJsonLine, type Terminal } from './terminal.ts';

export interface FlagOption {
  readonly type: 'boolean';
  readonly help: string;
}

/** An option with a value; the help shows `value` as its placeholder. */
export interface ValueOption {
  readonly type: 'string';
  readonly value: string;
  readonly help: string;
  /** Throws a UsageError for a wrong value, before the command runs. */
  readonly check?: (value: string) => unknown;
}

export interface ListOption extends ValueOption {
  readonly multiple: true;
}

export const flagOption = (help: string): FlagOption => ({ type: 'boolean', help });
export const valueOption = (value: string, help: string, check?: ValueOption['check']): ValueOption => ({
  type: 'string',
  value,
  help,
  ...(check === undefined ? {} : { check }),
});
export const listOption = (value: string, help: string): ListOption => ({
  ...valueOption(value, help),
  multiple: true,
});

type Option = FlagOption | ValueOption | ListOption;

export type Options = Readonly<Record<string, Option>>;

export type Group = 'publications' | 'service' | 'about';

/** Describes a command; parsing, help, completion and dispatch use it. */
export interface Command {
  /** One or two words, such as `pins takedown`. */
  readonly name: string;
  readonly group: Group;
  /** The names of the arguments. `[NAME]` is optional; a single `NAME...` takes one or more. */
  readonly arguments: readonly string[];
  readonly options: Options;
  readonly help: string;
  readonly example: string;
  /** The path of the section about the command, relative to docs/operators. */
  readonly guide: string | undefined;
  /** Parses the arguments, runs the command, and resolves with the exit code. */
  run(args: readonly string[], terminal: Terminal): Promise<number>;
}

type Value<Known extends Option> = Known extends FlagOption
  ? boolean
  : Known extends ListOption
    ? readonly string[]
    : string;

type Values<Known extends Options> = { readonly [Name in keyof Known]?: Value<Known[Name]> | undefined } & {
  readonly json: boolean;
};

type Positionals<Names extends readonly string[]> = Names extends readonly [`${string}...`]
  ? readonly [string, ...string[]]
  : { readonly [Index in keyof Names]: Names[Index] extends `[${string}]` ? string | undefined : string };

/** The output: `json` with `--json`, else `text`. */
export interface Result {
  readonly json: object;
  readonly text: string | readonly string[];
}

interface CommandDefinition<Names extends readonly string[], Known extends Options>
  extends Pick<Command, 'name' | 'help' | 'example'> {
  /** Default: `service`. */
  readonly group?: Group;
  readonly arguments?: Names;
  readonly options?: Known;
  readonly guide?: string;
  /** False if the command has no `--json`. */
  readonly json?: false;
  readonly run: (
    positionals: Positionals<Names>,
    values: Values<Known>,
    terminal: Terminal,
  ) => Promise<Result | undefined> | Promise<number> | Promise<void>;
}

const JSON_OPTION: Options = { json: flagOption('print one JSON document, for scripts') };

export function command<
  const Names extends readonly string[] = readonly [],
  const Known extends Options = Record<never, never>,
>({ group = 'service', guide, json, run, ...record }: CommandDefinition<Names, Known>): Command {
  const options: Options = { ...record.options, ...(json === false ? {} : JSON_OPTION) };
  const names: readonly string[] = record.arguments ?? [];
  return {
    ...record,
    group,
    arguments: names,
    options,
    guide,
    run: async (args, terminal) => {
      const { values, positionals } = parse(args, options);
      checkCount(positionals, names);
      for (const [name, option] of Object.entries(options)) {
        const value = values[name];
        if ('check' in option && typeof value === 'string') option.check?.(value);
      }
      // `parseArgs` has checked the values against the options, and `checkCount` the positionals.
      const typed = { ...values, json: values.json === true } as unknown as Values<Known>;
      const outcome = await run(positionals as unknown as Positionals<Names>, typed, terminal);
      if (typeof outcome !== 'object') return outcome ?? 0;
      printResult(outcome, typed.json, terminal);
      return 0;
    },
  };
}

export function printResult({ json, text }: Result, isJson: boolean, terminal: Terminal): void {
  const lines = isJson ? [formatJsonLine(json)] : [text].flat().map(escapeControls);
  for (const line of lines) terminal.out(line);
}

function checkCount(positionals: readonly string[], names: readonly string[]): void {
  const missing = names[positionals.length];
  if (missing !== undefined && !missing.startsWith('[')) throw new UsageError(`${missing} is missing`);
  // The message must not repeat the argument: it may be a secret meant for an option.
  const maxCount = names.at(-1)?.endsWith('...') ? Number.POSITIVE_INFINITY : names.length;
  if (positionals.length > maxCount) throw new UsageError('there are too many arguments');
}

function parse(args: readonly string[], options: Options): ReturnType<typeof parseArgs> {
  const known = Object.fromEntries(
    Object.entries(options).map(([name, option]) => [
      name,
      { type: option.type, multiple: 'multiple' in option },
    ]),
  );
  try {
    return parseArgs({ args: [...args], options: known, strict: true, allowPositionals: true });
  } catch (error) {
    if (!(error instanceof TypeError) || !('code' in error)) throw error;
    const unknown = /^Unknown option '--([\w-]+)/.exec(error.message)?.[1];
    const hint = unknown === undefined ? '' : didYouMean(unknown, Object.keys(options), '--');
    // The further sentences of Node's message are about `parseArgs`, not about the command.
    throw new UsageError(`${error.message.split('. ')[0]}${hint}`, { cause: error });
  }
}
