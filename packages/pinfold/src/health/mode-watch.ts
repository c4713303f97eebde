import type { Mode } from '@pinfold/core';
import type { Log } from '../server/log.ts';

/** The last known mode of the service. Logs it, as a reminder that the service is read-only. */
export class ObservedMode {
  #seen: Mode | undefined;
  #log: Log | undefined;

  get isReadOnly(): boolean | undefined {
    return this.#seen && this.#seen.kind === 'read_only';
  }

  /** Sets the log: for a read-only mode at once, and for changes. */
  logTo(log: Log): void {
    this.#log = log;
    if (this.isReadOnly) this.#logMode();
  }

  note(mode: Mode): void {
    const before = this.isReadOnly ?? false;
    this.#seen = mode;
    if (this.isReadOnly !== before) this.#logMode();
  }

  #logMode(): void {
    if (this.isReadOnly) {
      this.#log?.warn('the service is read-only, until somebody says "pinfold mode normal"');
    } else this.#log?.info('the service takes changes again');
  }
}
