import { named, variableOf } from './variables.ts';

/**
 * A setting or an option that Pinfold cannot start with. Its message is one line that names it as the environment and as
 * code do, and never shows a value that may be secret.
 *
 * @example
 * import { readSettings, SettingsError } from 'pinfold';
 *
 * try {
 *   readSettings({ PINFOLD_FILES: 'many' });
 * } catch (error) {
 *   if (!(error instanceof SettingsError)) throw error;
 *   console.error(error.message); // PINFOLD_FILES (limits.files) must be a whole number from 1 to 10000
 * }
 */
export class SettingsError extends Error {
  /** The option's name: `publicUrl`, or `limits.files`. */
  readonly option: string;
  /** The environment variable that sets the option, `PINFOLD_PUBLIC_URL` for example; absent where only code does. */
  readonly variable: string | undefined;
  /** The message without the names. */
  readonly expectation: string;

  /** `variable` is for a value that came from elsewhere than from the option's own variable. */
  constructor(
    option: string,
    expectation: string,
    {
      cause,
      variable = variableOf(option),
    }: { readonly cause?: unknown; readonly variable?: string | undefined } = {},
  ) {
    super(`${named(option, variable)} ${expectation}`, cause === undefined ? {} : { cause });
    this.name = 'SettingsError';
    this.option = option;
    this.variable = variable;
    this.expectation = expectation;
  }
}
