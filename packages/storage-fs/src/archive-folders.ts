import { dirname, join } from 'node:path';
import type { ArchiveId } from '@pinfold/core';
import { type Files, unlessRefused } from './files.ts';
import { syncFolder } from './folders.ts';

/** The maximum number of folders remembered as durable; new archives need only the newest. */
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

/**
 * The path of an archive: in a folder for the 1,000 seconds in which it was created, within a folder for 1,000 of these
 * (about eleven days). So folders and files sort in the order of ids, a listing reads one folder at a time, and no folder
 * has more archives than are published in a quarter of an hour.
 */
export interface ArchivePlace {
  /** The folder that has the folders of 1,000 seconds each. */
  readonly span: string;
  readonly folder: string;
  readonly file: string;
}

export const SPAN_NAME: RegExp = /^\d{4}$/;
export const FOLDER_NAME: RegExp = /^\d{3}$/;

/** How many digits of an id the names of both folders have together. */
const FOLDER_DIGITS = 7;
const SPAN_DIGITS = 4;

/** The place of an archive. Its id is safe in a path: the type proves that it has only hexadecimal digits and `-`. */
export function placeOf(root: string, id: ArchiveId): ArchivePlace {
  const span = join(root, id.slice(0, SPAN_DIGITS));
  const folder = join(span, id.slice(SPAN_DIGITS, FOLDER_DIGITS));
  return { span, folder, file: join(folder, id) };
}
