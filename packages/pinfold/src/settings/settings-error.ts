/**
 * A setting that the server cannot start with. Its message is one line that names the variable, and never shows a value
 * that may be secret.
 *
 * @example
 * import { readSettings, SettingsError } from 'pinfold';
 *
 * try {
 *   readSettings({ PINFOLD_PORT: 'none' });
 * } catch (error) {
 *   if (!(error instanceof SettingsError)) throw error;
 *   console.error(error.message); // PINFOLD_PORT must be a port: a whole number from 0 to 65535
 * }
 */
export class SettingsError extends Error {
  /** The environment variable, `PINFOLD_PORT` for example. */
  readonly variable: string;

  constructor(variable: string, expectation: string, options?: { readonly cause?: unknown }) {
    super(`${variable} ${expectation}`, options);
    this.name = 'SettingsError';
    this.variable = variable;
  }
}
