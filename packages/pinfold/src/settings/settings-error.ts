import { findVariable, formatOption } from './variables.ts';

/**
 * A setting or an option is wrong, so Pinfold cannot start. The message is one line. It names the environment variable and
 * the option, and never shows a value, which may be secret.
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
  /** The environment variable that sets the option, such as `PINFOLD_PUBLIC_URL`; absent if only code can set it. */
  readonly variable: string | undefined;
  /** The message without the names. */
  readonly expectation: string;

  /** @param details `variable` names the source of the value if it is not the option's own variable. */
  constructor(
    option: string,
    expectation: string,
    {
      cause,
      variable = findVariable(option),
    }: { readonly cause?: unknown; readonly variable?: string | undefined } = {},
  ) {
    super(`${formatOption(option, variable)} ${expectation}`, cause === undefined ? {} : { cause });
    this.name = 'SettingsError';
    this.option = option;
    this.variable = variable;
    this.expectation = expectation;
  }
}
