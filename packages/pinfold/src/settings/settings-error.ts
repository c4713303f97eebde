/** A setting that the server cannot start with. The message is one line that names the variable and holds no value that may be secret. */
export class SettingsError extends Error {
  /** The environment variable, `PINFOLD_PORT` for example. */
  readonly variable: string;

  constructor(variable: string, expectation: string, options?: { readonly cause?: unknown }) {
    super(`${variable} ${expectation}`, options);
    this.name = 'SettingsError';
    this.variable = variable;
  }
}
