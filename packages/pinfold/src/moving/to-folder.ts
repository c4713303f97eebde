import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
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
import { syncFolder } from '../saving/sync-folder.ts';
import {
  ARCHIVES,
  type ExportEnd,
  MANIFEST,
  manifestOf,
  RECORDS,
  type RecordsFile,
  readManifest,
} from './export-form.ts';
import type { Destination } from './move.ts';
import { type MovingArchive, storedArchives } from './whole-archive.ts';

/** The folder of files that are being written; it is not a part of the export. */
export const UNFINISHED = 'incoming';

/**
 * Writes an export to a folder. An earlier export there stays whole until the new one is: its archives stay, the new
 * manifest replaces the old one, and then unused files are removed. An archive leaves with the second export that does not
 * name it, or at once where earlier exports stand elsewhere, and never while its publication is in service.
 */
export class ToFolder implements Destination {
  readonly #folder: string;
  readonly #removing: 'after another' | 'at once';
  readonly #present: Set<ArchiveId> = new Set();
  /** What the last export did not name. */
  #unnamed: ReadonlySet<ArchiveId> = new Set();
  #staging: FsStaging | undefined;
  #storage: FsArchiveStorage | undefined;

  constructor(
    folder: string,
    { removing = 'after another' }: { removing?: 'after another' | 'at once' } = {},
  ) {
    this.#folder = folder;
    this.#removing = removing;
  }

  async begin(): Promise<void> {
    await makeFolder(this.#folder);
    const known = [MANIFEST, RECORDS, ARCHIVES, UNFINISHED];
    const found = await readdir(this.#folder);
    if (!found.every((name) => known.includes(name))) {
      throw new CommandFailure(`${this.#folder} holds other things than an export; name an empty folder`);
    }
    await chmod(this.#folder, 0o700);
    for (const name of [RECORDS, ARCHIVES, UNFINISHED]) {
      await mkdir(join(this.#folder, name), { recursive: true, mode: 0o700 });
    }
    const clock = new SystemClock();
    this.#staging = await openFsStaging({ folder: join(this.#folder, UNFINISHED), clock });
    const options = { folder: join(this.#folder, ARCHIVES), staging: this.#staging, clock };
    this.#storage = await openFsArchiveStorage(options);
    for await (const id of storedArchives(this.#storage)) this.#present.add(id);
    const manifest = join(this.#folder, MANIFEST);
    if (existsSync(manifest)) this.#unnamed = new Set(readManifest(await readFile(manifest, 'utf8')).unnamed);
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
    const [named, lost] = [new Set(end.archives), new Set(end.lost)];
    const unnamed = [...this.#present].filter((id) => !named.has(id));
    const isOld = (id: ArchiveId): boolean => this.#removing === 'at once' || this.#unnamed.has(id);
    const removed = new Set(unnamed.filter((id) => isOld(id) && !lost.has(id)));
    const staying = unnamed.filter((id) => !removed.has(id)).sort();
    await this.#write(MANIFEST, manifestOf(end, staying));
    await syncFolder(this.#folder);
    await this.#remove(end, removed);
  }

  /** A file is there whole, or not at all. */
  async #write(name: string, bytes: Uint8Array): Promise<void> {
    const unfinished = join(this.#folder, UNFINISHED, randomUUID());
    const handle = await open(unfinished, 'wx', 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(unfinished, join(this.#folder, name));
  }

  async #remove(end: ExportEnd, archives: ReadonlySet<ArchiveId>): Promise<void> {
    const files = new Set(end.records.map(({ file }) => file));
    for (const name of await readdir(join(this.#folder, RECORDS))) {
      if (!files.has(`${RECORDS}/${name}`)) await rm(join(this.#folder, RECORDS, name));
    }
    for (const id of archives) await this.#storage?.delete(id);
    await rm(join(this.#folder, UNFINISHED), { recursive: true });
  }
}
