import { rmSync } from 'node:fs';

/** Files and folders that a command makes: removed again unless it ends well, also when a signal ends the process. */
export class UnfinishedFiles {
  readonly #paths: string[] = [];
  readonly #removeAll = (): void => this.#remove();

  constructor() {
    process.on('exit', this.#removeAll);
  }

  /** Takes on what is there from now on; a folder is removed with what is in it. */
  add(path: string): void {
    this.#paths.push(path);
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
