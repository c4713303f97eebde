import { SettingsError } from './settings-error.ts';

/** Reads `on` or `off`. */
export function readSwitch(usual: boolean): (variable: string, value: string | undefined) => boolean {
  return (variable, value) => {
    if (value !== undefined && value !== 'on' && value !== 'off') {
      throw new SettingsError(variable, 'must be on or off');
    }
    return value === undefined ? usual : value === 'on';
  };
}
