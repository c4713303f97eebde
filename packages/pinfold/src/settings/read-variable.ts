import { SettingsError } from './settings-error.ts';

/** Makes a value of a variable's text, which is `undefined` where the variable is absent or empty. */
export type Parse<Value> = (variable: string, value: string | undefined) => Value;

/** Reads one variable, whose name comes without its prefix. The variables that are read are those that are known. */
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
