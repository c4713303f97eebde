import { isError } from '@pinfold/core/internal';
import { SettingsError } from './settings-error.ts';

/** Parses a variable's text, which is `undefined` if the variable is absent or empty. */
export type Parse<Value> = (variable: string, value: string | undefined) => Value;

/** Reads a variable by its name without the prefix, and notes it as known. */
export type ReadVariable = <Value>(name: string, parse: Parse<Value>) => Value;

const WHOLE = /^\d{1,15}$/;
export const DECIMAL: RegExp = /^(\d+(\.\d+)?|\.\d+)$/;

/** Reads a number from `least` to `most`; a whole one unless `form` is {@link DECIMAL}. */
export function readNumber<Usual>(
  usual: Usual,
  least: number,
  most: number,
  expectation: string = `must be a whole number from ${least} to ${most}`,
  form: RegExp = WHOLE,
): Parse<number | Usual> {
  return (variable, value) => {
    if (value === undefined) return usual;
    const number = Number(value);
    if (form.test(value) && number >= least && number <= most) return number;
    throw new SettingsError(variable, expectation);
  };
}

export function readOneOf<Word extends string, Usual extends Word | undefined>(
  words: readonly Word[],
  usual: Usual,
  expectation: string = `must be one of ${words.join(', ')}`,
): Parse<Word | Usual> {
  return (variable, value) => {
    if (value === undefined) return usual;
    const known = words.find((word) => word === value);
    if (known === undefined) throw new SettingsError(variable, expectation);
    return known;
  };
}

export function readSwitch(usual: boolean): Parse<boolean> {
  const read = readOneOf(['on', 'off'], usual ? 'on' : 'off', 'must be on or off');
  return (variable, value) => read(variable, value) === 'on';
}

/** Reads what `parse` takes; its TypeError says what is expected. */
export function readText<Value>(parse: (text: string) => Value): Parse<Value | undefined> {
  return (variable, value) => {
    if (value === undefined) return undefined;
    try {
      return parse(value);
    } catch (error) {
      if (!isError(error) || error.name !== 'TypeError') throw error;
      throw new SettingsError(variable, error.message);
    }
  };
}

/** Without the members that were not set. */
export function given<Members extends object>(
  members: Members,
): { [Name in keyof Members]?: Exclude<Members[Name], undefined> } {
  const set = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as { [Name in keyof Members]?: Exclude<Members[Name], undefined> };
}
