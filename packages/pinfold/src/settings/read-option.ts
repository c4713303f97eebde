import { isError } from '@pinfold/core/internal';
import { SettingsError } from './settings-error.ts';
import type { OptionName } from './variables.ts';

/** The options that are set, as texts: the environment, the command and `openPinfold` all fill such a record. */
export type Texts = { readonly [Name in OptionName]?: string | undefined };

/** Parses the text of an option; its TypeError says what is expected. */
export type Parse<Value> = (text: string) => Value;

/** Reads an option by its name; where it is not set, the result is `usual`. */
export type ReadOption = <Value, Usual = undefined>(
  option: OptionName,
  parse: Parse<Value>,
  usual?: Usual,
) => Value | Usual;

export function optionsIn(texts: Texts): ReadOption {
  return (option, parse, usual) => {
    const text = texts[option];
    return text === undefined ? (usual as NonNullable<typeof usual>) : parseText(option, text, parse);
  };
}

/** @throws SettingsError when the text is wrong; it names `variable` if that is not the option's own. */
export function parseText<Value>(
  option: OptionName,
  text: string,
  parse: Parse<Value>,
  variable?: string,
): Value {
  try {
    return parse(text);
  } catch (error) {
    if (!isError(error) || error.name !== 'TypeError') throw error;
    throw new SettingsError(option, error.message, { variable });
  }
}

const WHOLE = /^\d{1,15}$/;
export const DECIMAL: RegExp = /^(\d+(\.\d+)?|\.\d+)$/;

export function asItIs(text: string): string {
  return text;
}

/** Takes a number from `least` to `most`; a whole one unless `form` is {@link DECIMAL}. */
export function numberFrom(
  least: number,
  most: number,
  expectation: string = `must be a whole number from ${least} to ${most}`,
  form: RegExp = WHOLE,
): Parse<number> {
  return (text) => {
    const number = Number(text);
    if (form.test(text) && number >= least && number <= most) return number;
    throw new TypeError(expectation);
  };
}

const choice = new Intl.ListFormat('en', { type: 'disjunction' });

export function oneOf<Word extends string>(words: readonly Word[]): Parse<Word> {
  return (text) => {
    const known = words.find((word) => word === text);
    if (known === undefined) throw new TypeError(`must be ${choice.format(words)}`);
    return known;
  };
}

export function onOrOff(text: string): boolean {
  return oneOf(['on', 'off'])(text) === 'on';
}

/** Without the members that were not set. */
export function given<Members extends object>(
  members: Members,
): { [Name in keyof Members]?: Exclude<Members[Name], undefined> } {
  const set = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as { [Name in keyof Members]?: Exclude<Members[Name], undefined> };
}
