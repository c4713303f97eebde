import type { Mode } from '@pinfold/core';
import type { Log } from '../server/log.ts';

/** The mode of the service as it was last seen, told of so that nobody forgets that it is read-only. */
export class SeenMode {
  #seen: Mode | undefined;
  #log: Log | undefined;

  /** `undefined` until it is known. */
  get isReadOnly(): boolean | undefined {
    return this.#seen && this.#seen.kind === 'read_only';
  }

  /** Says where it is told of: at once while it is read-only, and when that changes. */
  tellTo(log: Log): void {
    this.#log = log;
    if (this.isReadOnly) this.#tell();
  }

  note(mode: Mode): void {
    const before = this.isReadOnly ?? false;
    this.#seen = mode;
    if (this.isReadOnly !== before) this.#tell();
  }

  #tell(): void {
    if (this.isReadOnly) {
      this.#log?.warn('the service is read-only, until somebody says "pinfold mode normal"');
    } else this.#log?.info('the service takes changes again');
  }
}
