import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, link, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ArchiveId, RoleStore } from '@pinfold/core';
import { codeOf } from '@pinfold/core/internal';
import type { MovedRecord } from '@pinfold/core/moving';
import type { FsArchiveStorage } from '@pinfold/storage-fs';
import { CommandFailure } from '../command-line/failures.ts';
import { makeFolder } from '../compose/data-folder.ts';
import { syncFolder } from '../saving/sync-folder.ts';
import { listArchives, type MovingArchive } from './archives.ts';
import {
  ARCHIVES,
  archivePath,
  formatManifest,
  MANIFEST,
  openArchives,
  RECORDS,
  RecordsWriter,
  UNFINISHED,
} from './export-form.ts';
import { fromFolder, readManifestIn } from './from-export.ts';
import { type Destination, Walk } from './walk.ts';

/**
 * Writes an export to a folder. An earlier export there stays complete until the new manifest replaces its own; only
 * then are unused files removed. An archive is removed after two exports in a row that do not name it, or at once if
 * earlier exports are in other folders, but never while its publication is in service.
 */
export class ToFolder implements Destination {
  readonly #folder: string;
  readonly #linked: string | undefined;
  readonly #archives: FsArchiveStorage;
  readonly #records: RecordsWriter = new RecordsWriter((name, lines) => this.#write(name, lines));

  /** @param linked the folder of an export, whose archives are linked instead of copied. */
  constructor(folder: string, linked?: string) {
    this.#folder = folder;
    this.#linked = linked;
    this.#archives = openArchives(folder);
  }

  async *begin(): AsyncGenerator<ArchiveId, void> {
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
    yield* listArchives(this.#archives);
    if (this.#linked !== undefined) yield* listArchives(openArchives(this.#linked));
  }

  records(records: readonly MovedRecord[]): Promise<void> {
    return this.#records.add(records);
  }

  store(archive: MovingArchive): Promise<void> {
    return this.#archives.put(archive.id, archive);
  }

  async end(walked: Walk): Promise<void> {
    await this.#records.flush();
    await syncFolder(join(this.#folder, RECORDS));
    const { archives } = walked;
    const lost = new Set(walked.lost.map(({ archive }) => archive));
    if (this.#linked !== undefined) await this.#link(this.#linked, new Set([...archives, ...lost]));
    const earlier = existsSync(join(this.#folder, MANIFEST)) ? await readManifestIn(this.#folder) : undefined;
    const earlierOrphans = new Set(earlier?.unnamed);
    const orphans: ArchiveId[] = [];
    for await (const id of listArchives(this.#archives)) if (!archives.has(id)) orphans.push(id);
    const isOld = (id: ArchiveId): boolean => this.#linked !== undefined || earlierOrphans.has(id);
    const removed = new Set(orphans.filter((id) => isOld(id) && !lost.has(id)));
    const remaining = orphans.filter((id) => !removed.has(id));
    await this.#write(MANIFEST, formatManifest(this.#records.files, walked, remaining));
    await syncFolder(this.#folder);
    const files = new Set(this.#records.files.map(({ file }) => file));
    for (const name of await readdir(join(this.#folder, RECORDS)))
      if (!files.has(`${RECORDS}/${name}`)) await rm(join(this.#folder, RECORDS, name));
    for (const id of removed) await this.#archives.delete(id);
    await rm(join(this.#folder, UNFINISHED), { recursive: true });
  }

  /** Links archives of another export. An interrupted export may have linked some of them. */
  async #link(from: string, ids: ReadonlySet<ArchiveId>): Promise<void> {
    for await (const id of listArchives(openArchives(from))) {
      if (!ids.has(id)) continue;
      const file = join(this.#folder, archivePath(id));
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      await link(join(from, archivePath(id)), file).catch((error: unknown) => {
        if (codeOf(error) !== 'EEXIST') throw error;
      });
    }
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
  let unknown = 0;
  try {
    for await (const step of fromFolder(folder)(new Walk({}, () => undefined))) {
      for (const { kind, value } of step.kind === 'records' ? step.records : []) {
        if (kind !== 'publication') continue;
        if ((await roles.load(value.id)) !== undefined) return;
        unknown += 1;
      }
    }
  } catch (cause) {
    if (!(cause instanceof CommandFailure)) throw cause;
    const message = `${folder} holds an export that cannot be read (${cause.message}); name another folder`;
    throw new CommandFailure(message, { cause, code: 'cannot_write' });
  }
  if (unknown === 0) return;
  throw new CommandFailure(
    `${folder} holds an export of another database: this one knows none of its ${unknown} publications. Check the settings; if they are right, name another folder`,
    'cannot_write',
  );
}
