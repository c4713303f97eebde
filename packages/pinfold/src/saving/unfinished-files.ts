import { rmSync } from 'node:fs';

/** Files and folders that a command makes: removed again unless it ends well, also when a signal ends the process. */
export class UnfinishedFiles {
  readonly #paths: string[] = [];
  readonly #removeAll = (): void => this.#remove();

  constructor() {
    process.on('exit', this.#removeAll);
  }

  /**
   * Makes what was not there, in this turn: a signal that is heard in a later one finds it here. A folder is removed with
   * what is in it.
   */
  make<Made>(path: string, make: () => Made): Made {
    const made = make();
    this.#paths.push(path);
    return made;
  }

  /** Lets everything stay. */
  finish(): void {
    this.#paths.length = 0;
    process.off('exit', this.#removeAll);
  }

  /** Removes everything, the last first; nothing once it was finished. */
  discard(): void {
    process.off('exit', this.#removeAll);
    this.#remove();
  }

  #remove(): void {
    for (const path of this.#paths.splice(0).reverse()) rmSync(path, { recursive: true, force: true });
  }
}
