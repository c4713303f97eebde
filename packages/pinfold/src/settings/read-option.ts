import { isError } from '@pinfold/core/internal';
import { SettingsError } from './settings-error.ts';
import type { OptionName } from './variables.ts';

/** The texts of the options that are set, from the environment, a command or `openPinfold`. */
export type Texts = { readonly [Name in OptionName]?: string | undefined };

/** Parses the text of an option; its TypeError says what is expected. */
export type Parse<Value> = (text: string) => Value;

/** Reads and parses an option; returns the default value if it is not set. */
export type ReadOption = <Value, Default = undefined>(
  option: OptionName,
  parse: Parse<Value>,
  defaultValue?: Default,
) => Value | Default;

export function createReadOption(texts: Texts): ReadOption {
  return (option, parse, defaultValue) => {
    const text = texts[option];
    return text === undefined
      ? (defaultValue as NonNullable<typeof defaultValue>)
      : parseText(option, text, parse);
  };
}

/** @throws SettingsError for a wrong text; it names `variable` if another variable than the option's own set the text. */
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

/** Parses a number from `min` to `max`; it must be whole unless `form` is {@link DECIMAL}. */
export function numberFrom(
  min: number,
  max: number,
  expectation: string = `must be a whole number from ${min} to ${max}`,
  form: RegExp = WHOLE,
): Parse<number> {
  return (text) => {
    const number = Number(text);
    if (form.test(text) && number >= min && number <= max) return number;
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

export function parseOnOff(text: string): boolean {
  return oneOf(['on', 'off'])(text) === 'on';
}

/** Returns a copy without undefined members, so that spreading it overrides no default. */
export function omitUndefined<Members extends object>(
  members: Members,
): { [Name in keyof Members]?: Exclude<Members[Name], undefined> } {
  const defined = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as { [Name in keyof Members]?: Exclude<Members[Name], undefined> };
}
