import { rmSync } from 'node:fs';

/** Removes the files and folders that a command creates, unless it finishes; also when a signal ends the process. */
export class UnfinishedFiles {
  readonly #paths: string[] = [];
  readonly #removeAll = (): void => this.#remove();

  constructor() {
    process.on('exit', this.#removeAll);
  }

  /**
   * Creates a file or folder synchronously, so that a signal cannot arrive before it is registered. A folder is
   * removed with its contents.
   */
  make<Made>(path: string, make: () => Made): Made {
    const made = make();
    this.#paths.push(path);
    return made;
  }

  /** Keeps all files. */
  finish(): void {
    this.#paths.length = 0;
    process.off('exit', this.#removeAll);
  }

  /** Removes all files, the last one first; nothing after `finish`. */
  discard(): void {
    process.off('exit', this.#removeAll);
    this.#remove();
  }

  #remove(): void {
    for (const path of this.#paths.splice(0).reverse()) rmSync(path, { recursive: true, force: true });
  }
}
