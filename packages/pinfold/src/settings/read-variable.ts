import { SettingsError } from './settings-error.ts';

/** Parses a variable's text, which is `undefined` if the variable is absent or empty. */
export type Parse<Value> = (variable: string, value: string | undefined) => Value;

/** Reads a variable by its name without the prefix, and notes it as known. */
export type ReadVariable = <Value>(name: string, parse: Parse<Value>) => Value;

/** Reads `on` or `off`. */
export function readSwitch(usual: boolean): Parse<boolean> {
  return (variable, value) => {
    if (value !== undefined && value !== 'on' && value !== 'off') {
      throw new SettingsError(variable, 'must be on or off');
    }
    return value === undefined ? usual : value === 'on';
  };
}
