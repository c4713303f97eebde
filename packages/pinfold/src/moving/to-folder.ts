import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ArchiveId, isFault, type RoleStore } from '@pinfold/core';
import type { MovedRecord } from '@pinfold/core/moving';
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
import { listArchives, type MovingArchive, storeArchive } from './archives.ts';
import { ARCHIVES, formatManifest, MANIFEST, RECORDS, RecordsWriter } from './export-form.ts';
import { readManifestIn, readRecordsIn } from './from-export.ts';
import { type Destination, throwFailure, type Walked } from './walk.ts';

/** The folder for files that are being written; it is not a part of the export. */
export const UNFINISHED = 'incoming';

/**
 * Writes an export to a folder. An earlier export there stays complete until the new manifest replaces its own; only
 * then are unused files removed. An archive is removed after two exports in a row that do not name it, or at once if
 * earlier exports are in other folders, but never while its publication is in service.
 */
export class ToFolder implements Destination {
  readonly #folder: string;
  readonly #linkEarlier: (() => Promise<void>) | undefined;
  readonly #records: RecordsWriter = new RecordsWriter((name, lines) => this.#write(name, lines));
  readonly #present: Set<ArchiveId> = new Set();
  /** Archives that the records of the previous export did not name, either. */
  #earlierOrphans: ReadonlySet<ArchiveId> = new Set();
  #stores: { readonly staging: FsStaging; readonly archives: FsArchiveStorage } | undefined;

  /** @param linkEarlier links the archives of an export in another folder. */
  constructor(folder: string, linkEarlier?: () => Promise<void>) {
    this.#folder = folder;
    this.#linkEarlier = linkEarlier;
  }

  async begin(): Promise<void> {
    await makeFolder(this.#folder);
    const known = [MANIFEST, RECORDS, ARCHIVES, UNFINISHED];
    const found = await readdir(this.#folder);
    if (!found.every((name) => known.includes(name)))
      throw new CommandFailure(
        `${this.#folder} contains other files than an export; name an empty folder`,
        'cannot_write',
      );
    await chmod(this.#folder, 0o700);
    for (const name of [RECORDS, ARCHIVES, UNFINISHED])
      await mkdir(join(this.#folder, name), { recursive: true, mode: 0o700 });
    await this.#linkEarlier?.();
    const clock = new SystemClock();
    const staging = await openFsStaging({ folder: join(this.#folder, UNFINISHED), clock });
    const archives = await openFsArchiveStorage({ folder: join(this.#folder, ARCHIVES), staging, clock });
    this.#stores = { staging, archives };
    for await (const id of listArchives(archives)) this.#present.add(id);
    if (existsSync(join(this.#folder, MANIFEST)))
      this.#earlierOrphans = new Set((await readManifestIn(this.#folder)).unnamed);
  }

  records(records: readonly MovedRecord[]): Promise<void> {
    return this.#records.add(records);
  }

  has(id: ArchiveId): boolean {
    return this.#present.has(id);
  }

  async archive(archive: MovingArchive): Promise<void> {
    if (this.#stores !== undefined) await storeArchive(archive, this.#stores);
    this.#present.add(archive.id);
  }

  async end(walked: Walked): Promise<void> {
    await this.#records.flush();
    await syncFolder(join(this.#folder, RECORDS));
    const [named, lost] = [new Set(walked.archives), new Set(walked.lost.map(({ archive }) => archive))];
    const orphans = [...this.#present].filter((id) => !named.has(id)).sort();
    const isOld = (id: ArchiveId): boolean => this.#linkEarlier !== undefined || this.#earlierOrphans.has(id);
    const removed = new Set(orphans.filter((id) => isOld(id) && !lost.has(id)));
    const remaining = orphans.filter((id) => !removed.has(id));
    await this.#write(MANIFEST, formatManifest(this.#records.files, walked, remaining));
    await syncFolder(this.#folder);
    const files = new Set(this.#records.files.map(({ file }) => file));
    for (const name of await readdir(join(this.#folder, RECORDS)))
      if (!files.has(`${RECORDS}/${name}`)) await rm(join(this.#folder, RECORDS, name));
    for (const id of removed) await this.#stores?.archives.delete(id);
    await rm(join(this.#folder, UNFINISHED), { recursive: true });
  }

  /** The file appears complete, or not at all. */
  async #write(name: string, bytes: Uint8Array): Promise<void> {
    const unfinished = join(this.#folder, UNFINISHED, randomUUID());
    await writeFile(unfinished, bytes, { flag: 'wx', mode: 0o600, flush: true });
    await rename(unfinished, join(this.#folder, name));
  }
}

/**
 * Throws if the database knows none of the publications in a folder's export. A server whose disk was not mounted
 * starts with an empty database, and the next scheduled export must not replace the backup. The same applies to an
 * export that cannot be read.
 */
export async function checkOverwrite(folder: string, roles: Pick<RoleStore, 'load'>): Promise<void> {
  if (!existsSync(join(folder, MANIFEST))) return;
  const unknown = await countUnknown(folder, roles).catch((error: unknown) => {
    if (isFault(error) || !(error instanceof Error)) throw error;
    const message = `${folder} holds an export that cannot be read (${error.message}); name another folder`;
    throw new CommandFailure(message, { cause: error, code: 'cannot_write' });
  });
  if (unknown === 0) return;
  throw new CommandFailure(
    `${folder} holds an export of another database: this one knows none of its ${unknown} publications. Check the settings; if they are right, name another folder`,
    'cannot_write',
  );
}

/** Counts the publications of an export; 0 if the database knows at least one of them. */
async function countUnknown(folder: string, roles: Pick<RoleStore, 'load'>): Promise<number> {
  let unknown = 0;
  for await (const records of readRecordsIn(folder, await readManifestIn(folder), throwFailure)) {
    for (const { kind, value } of records) {
      if (kind !== 'publication') continue;
      if ((await roles.load(value.id)) !== undefined) return 0;
      unknown += 1;
    }
  }
  return unknown;
}
