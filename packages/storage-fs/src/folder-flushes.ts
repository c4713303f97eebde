import type { Files } from './files.ts';
import { syncFolder } from './folders.ts';

/** Flushes the entries of folders. Callers that come while a flush of their folder runs share the next one. */
export class FolderFlushes {
  readonly #files: Files;
  readonly #running: Map<string, Promise<void>> = new Map();
  readonly #next: Map<string, Promise<void>> = new Map();

  constructor(files: Files) {
    this.#files = files;
  }

  /** Resolves when a flush has ended that began after the call. */
  flush(folder: string): Promise<void> {
    const next = this.#next.get(folder);
    if (next !== undefined) return next;
    const running = this.#running.get(folder);
    if (running === undefined) return this.#start(folder);
    const waiting = running
      // A failure may be of entries that changed while it ran, and the system reports it only once.
      .finally(() => this.#next.delete(folder))
      .then(() => this.#start(folder));
    this.#next.set(folder, waiting);
    return waiting;
  }

  #start(folder: string): Promise<void> {
    const running = syncFolder(this.#files, folder).finally(() => this.#running.delete(folder));
    this.#running.set(folder, running);
    return running;
  }
}
