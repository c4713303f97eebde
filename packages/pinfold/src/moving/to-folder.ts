import { randomUUID } from 'node:crypto';
import { chmod, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArchiveId } from '@pinfold/core';
import { SystemClock } from '@pinfold/platform-node';
import {
  type FsArchiveStorage,
  type FsStaging,
  openFsArchiveStorage,
  openFsStaging,
} from '@pinfold/storage-fs';
import { CommandFailure } from '../command-line/failures.ts';
import { makeFolder } from '../compose/data-folder.ts';
import { ARCHIVES, type ExportEnd, MANIFEST, manifestOf, RECORDS, type RecordsFile } from './export-form.ts';
import type { Destination } from './move.ts';
import { type MovingArchive, storedArchives } from './whole-archive.ts';

/** The folder of files that are being written; it is not a part of the export. */
const INCOMING = 'incoming';

/**
 * Writes an export to a folder. An earlier export there stays whole until the new one is: its archives stay, the new
 * manifest replaces the old one, and then unused files are removed.
 */
export class ToFolder implements Destination {
  readonly #folder: string;
  readonly #present: Set<ArchiveId> = new Set();
  #staging: FsStaging | undefined;
  #storage: FsArchiveStorage | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async begin(): Promise<void> {
    await makeFolder(this.#folder);
    const known = [MANIFEST, RECORDS, ARCHIVES, INCOMING];
    const found = await readdir(this.#folder);
    if (!found.every((name) => known.includes(name))) {
      throw new CommandFailure(`${this.#folder} holds other things than an export; name an empty folder`);
    }
    await chmod(this.#folder, 0o700);
    for (const name of [RECORDS, ARCHIVES, INCOMING]) {
      await mkdir(join(this.#folder, name), { recursive: true, mode: 0o700 });
    }
    const clock = new SystemClock();
    this.#staging = await openFsStaging({ folder: join(this.#folder, INCOMING), clock });
    const options = { folder: join(this.#folder, ARCHIVES), staging: this.#staging, clock };
    this.#storage = await openFsArchiveStorage(options);
    for await (const id of storedArchives(this.#storage)) this.#present.add(id);
  }

  records(lines: Uint8Array, { file }: RecordsFile): Promise<void> {
    return this.#write(file, lines);
  }

  has(id: ArchiveId): boolean {
    return this.#present.has(id);
  }

  async archive({ id, pieces, bytes }: MovingArchive): Promise<void> {
    const received = await this.#staging?.receive(ReadableStream.from(pieces), bytes);
    if (received?.kind === 'received') await this.#storage?.put(id, received.archive);
    this.#present.add(id);
  }

  async end(end: ExportEnd): Promise<void> {
    await syncFolder(join(this.#folder, RECORDS));
    await this.#write(MANIFEST, manifestOf(end));
    await syncFolder(this.#folder);
    await this.#removeOthers(end);
  }

  /** A file is there whole, or not at all. */
  async #write(name: string, bytes: Uint8Array): Promise<void> {
    const incoming = join(this.#folder, INCOMING, randomUUID());
    const handle = await open(incoming, 'wx', 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(incoming, join(this.#folder, name));
  }

  async #removeOthers(end: ExportEnd): Promise<void> {
    const archives = new Set(end.archives);
    const files = new Set(end.records.map(({ file }) => file));
    for (const name of await readdir(join(this.#folder, RECORDS))) {
      if (!files.has(`${RECORDS}/${name}`)) await rm(join(this.#folder, RECORDS, name));
    }
    for (const id of this.#present) if (!archives.has(id)) await this.#storage?.delete(id);
    await rm(join(this.#folder, INCOMING), { recursive: true });
  }
}

/** Makes renames in the folder survive a power cut. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
