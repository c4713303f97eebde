import { dirname, join } from 'node:path';
import type { ArchiveId } from '@pinfold/core';
import { parseArchiveId } from '@pinfold/core/adapter';
import { type Files, syncFolder, unlessRefused } from './files.ts';

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

const SPAN_NAME = /^\d{4}$/;
const FOLDER_NAME = /^\d{3}$/;

/** How many digits of an id the names of both folders have together. */
const FOLDER_DIGITS = 7;
const SPAN_DIGITS = 4;

/** The place of an archive. Its id is safe in a path: the type proves that it has only hexadecimal digits and `-`. */
export function placeOf(root: string, id: ArchiveId): ArchivePlace {
  const span = join(root, id.slice(0, SPAN_DIGITS));
  const folder = join(span, id.slice(SPAN_DIGITS, FOLDER_DIGITS));
  return { span, folder, file: join(folder, id) };
}

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

/** How many directory entries the system returns at once. */
const BATCH = 1_024;

/** Lists ids of stored archives in ascending order. Ignores other files, and folders that are removed meanwhile. */
export async function walkArchives(
  files: Files,
  root: string,
  after: ArchiveId | '',
  limit: number,
  signal: AbortSignal | undefined,
): Promise<ArchiveId[]> {
  const found: ArchiveId[] = [];
  for (const span of await foldersIn(files, root, SPAN_NAME)) {
    if (span < after.slice(0, span.length)) continue;
    for (const folder of await foldersIn(files, join(root, span), FOLDER_NAME)) {
      const prefix = span + folder;
      if (prefix < after.slice(0, prefix.length)) continue;
      signal?.throwIfAborted();
      const wanted = limit - found.length;
      found.push(...(await firstIn(files, join(root, span, folder), prefix, after, wanted)));
      if (found.length >= limit) return found;
    }
  }
  return found;
}

async function foldersIn(files: Files, folder: string, name: RegExp): Promise<string[]> {
  const entries = (await unlessRefused(['ENOENT'], files.readdir(folder, { withFileTypes: true }))) ?? [];
  return entries
    .filter((entry) => entry.isDirectory() && name.test(entry.name))
    .map((entry) => entry.name)
    .sort();
}

/** The first `wanted` ids of one folder. Holds about twice as many in memory, however many the folder has. */
async function firstIn(
  files: Files,
  folder: string,
  prefix: string,
  after: string,
  wanted: number,
): Promise<ArchiveId[]> {
  const found: ArchiveId[] = [];
  const entries = await unlessRefused(['ENOENT'], files.opendir(folder, { bufferSize: BATCH }));
  if (entries === undefined) return found;
  for await (const entry of entries) {
    const id = entry.isFile() ? parseArchiveId(entry.name) : undefined;
    if (id === undefined || id <= after || !id.startsWith(prefix)) continue;
    found.push(id);
    if (found.length >= 2 * wanted + BATCH) found.sort().splice(wanted);
  }
  return found.sort().slice(0, wanted);
}
