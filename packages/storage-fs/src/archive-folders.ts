import { dirname } from 'node:path';
import type { ArchivePlace } from './archive-place.ts';
import { type Files, unlessRefused } from './files.ts';
import { syncFolder } from './folders.ts';

/** The most folders remembered as durable; new archives need only the newest. */
const MAX_REMEMBERED = 64;

export class ArchiveFolders {
  readonly #files: Files;
  readonly #durable: Set<string> = new Set();

  constructor(files: Files) {
    this.#files = files;
  }

  /** Creates the folders of a place if they are missing, and makes them durable. */
  async make(place: ArchivePlace): Promise<void> {
    if (this.#durable.has(place.folder)) return;
    for (const folder of [place.span, place.folder]) {
      await unlessRefused(['EEXIST'], this.#files.mkdir(folder, { mode: 0o700 }));
      await syncFolder(this.#files, dirname(folder));
    }
    const [oldest] = this.#durable;
    if (this.#durable.size >= MAX_REMEMBERED && oldest !== undefined) this.#durable.delete(oldest);
    this.#durable.add(place.folder);
  }

  /** Forgets that the folders of a place are durable, so that the next call creates them again. */
  forget(place: ArchivePlace): void {
    this.#durable.delete(place.folder);
  }

  async prune(place: ArchivePlace): Promise<void> {
    this.forget(place);
    for (const folder of [place.folder, place.span]) {
      const removed = this.#files.rmdir(folder).then(() => true);
      if ((await unlessRefused(['ENOTEMPTY', 'EEXIST', 'ENOENT'], removed)) === undefined) return;
    }
  }
}
