import type { Environment } from '../settings/settings.ts';

/** What a command reads from and writes to. */
export interface Terminal {
  readonly env: Environment;
  /** For results: scripts read it. */
  out(line: string): void;
  /** For everything said beside them. */
  err(line: string): void;
}
