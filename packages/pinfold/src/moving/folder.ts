import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { ArchiveId, RoleStore } from '@pinfold/core';
import { codeOf } from '@pinfold/core/internal';
import type { MovedRecord } from '@pinfold/core/moving';
import { SystemClock } from '@pinfold/platform-node';
import { FsArchiveStorage } from '@pinfold/storage-fs';
import { CommandFailure } from '../command-line/failures.ts';
import { makeFolder } from '../compose/data-folder.ts';
import { syncFolder } from '../saving/durable-files.ts';
import { findArchives, listArchives, moveArchives, toFailure, unreadable } from './archives.ts';
import {
  ARCHIVES,
  checkFileSize,
  describeRecords,
  type ExportManifest,
  ExportWriter,
  MANIFEST,
  parseRecords,
  RECORDS,
  type RecordsFile,
  readManifest,
} from './export-form.ts';
import type { Destination, Source } from './walk.ts';

/** The folder for files that are being written; it is not a part of the export. */
const UNFINISHED = 'incoming';

/** The archives of an export in a folder. */
export function openArchives(folder: string): FsArchiveStorage {
  const staging = { folder: join(folder, UNFINISHED) };
  return new FsArchiveStorage({ folder: join(folder, ARCHIVES), staging, clock: new SystemClock() });
}

/** Reads an export in a folder: all of its archives that the destination needs, or as many as `sample`. */
export function fromFolder(folder: string, sample?: number): Source {
  return async (walk) => {
    const { records, broken } = await readManifestIn(folder);
    // The import begins here, so damaged records leave it unfinished: no server opens such a database.
    await walk.records([]);
    for (const file of records)
      await walk.records((await walk.attempt(file.file, () => readRecords(folder, file))) ?? []);
    const storage = openArchives(folder);
    const found = await walk.attempt(ARCHIVES, async () => {
      if ((await stat(join(folder, ARCHIVES))).isDirectory()) return findArchives(storage, walk, sample);
      throw unreadable(`${ARCHIVES} is not a folder`);
    });
    await moveArchives(storage, found ?? [], walk);
    return broken;
  };
}

/** @throws CommandFailure for a folder without a complete export. */
async function readManifestIn(folder: string): Promise<ExportManifest> {
  const file = join(folder, MANIFEST);
  const bytes = await readWhole(file, file).catch((cause: unknown) => {
    const code = codeOf(cause);
    if (code === undefined) throw cause;
    throw unreadable(`${file} cannot be read (${code}): there is no export, or it is incomplete`, cause);
  });
  return readManifest(bytes);
}

/** @throws CommandFailure if the file cannot be read, or differs from its entry in the manifest. */
async function readRecords(
  folder: string,
  { file, ...content }: RecordsFile,
): Promise<readonly MovedRecord[]> {
  const lines = await readWhole(join(folder, file), file).catch((cause: unknown) => {
    throw toFailure(file, cause);
  });
  if (isDeepStrictEqual(describeRecords(lines), content)) return parseRecords(file, lines);
  throw unreadable(`${file} does not match the manifest`);
}

/** @throws CommandFailure if it is not a file, or too large; otherwise the system's error. */
async function readWhole(path: string, name: string): Promise<Buffer> {
  const stats = await stat(path);
  // Opening a pipe would wait for its writer, and a device might never end.
  if (!stats.isFile()) throw unreadable(`${name} is not a file`);
  checkFileSize(name, stats.size);
  return readFile(path);
}

/**
 * Writes an export to a folder. An earlier export there stays complete until the new manifest replaces its own; only
 * then are unused files removed. An archive is removed after two exports in a row that do not name it, or at once if
 * earlier exports are in other folders, but never while its publication is in service.
 *
 * @param isGeneration whether earlier exports are in other folders.
 */
export function toFolder(folder: string, isGeneration = false): Destination {
  const storage = openArchives(folder);
  // A file appears complete, or not at all.
  const writer = new ExportWriter(async (name, bytes) => {
    const unfinished = join(folder, UNFINISHED, randomUUID());
    await writeFile(unfinished, bytes, { flag: 'wx', mode: 0o600, flush: true });
    await rename(unfinished, join(folder, name));
  });
  return {
    async *begin() {
      await makeFolder(folder);
      const known = [MANIFEST, RECORDS, ARCHIVES, UNFINISHED];
      if (!(await readdir(folder)).every((name) => known.includes(name))) {
        const message = `${folder} contains other files than an export; name an empty folder`;
        throw new CommandFailure(message, 'cannot_write');
      }
      await chmod(folder, 0o700);
      for (const name of [RECORDS, ARCHIVES, UNFINISHED])
        await mkdir(join(folder, name), { recursive: true, mode: 0o700 });
      yield* listArchives(storage);
    },
    records: (records) => writer.add(records),
    store: (archive) => storage.put(archive.id, archive),
    async end(walk) {
      await writer.flush();
      await syncFolder(join(folder, RECORDS));
      const earlier = existsSync(join(folder, MANIFEST)) ? await readManifestIn(folder) : undefined;
      const unnamedBefore = new Set(earlier?.unnamed);
      const lost = new Set(walk.lost.map(({ archive }) => archive));
      const { archives } = walk;
      const [removed, unnamed]: [ArchiveId[], ArchiveId[]] = [[], []];
      for await (const id of listArchives(storage)) {
        const isRemoved = !lost.has(id) && (isGeneration || unnamedBefore.has(id));
        if (!archives.has(id)) (isRemoved ? removed : unnamed).push(id);
      }
      await writer.writeManifest(walk, unnamed);
      await syncFolder(folder);
      const files = new Set(writer.files.map(({ file }) => file));
      for (const name of await readdir(join(folder, RECORDS)))
        if (!files.has(`${RECORDS}/${name}`)) await rm(join(folder, RECORDS, name));
      for (const id of removed) await storage.delete(id);
      await rm(join(folder, UNFINISHED), { recursive: true });
    },
  };
}

/**
 * Throws if the database knows none of the publications in a folder's export. A server whose disk was not mounted
 * starts with an empty database, and the next scheduled export must not replace the backup. The same applies to an
 * export that cannot be read.
 */
export async function checkOverwrite(folder: string, roles: Pick<RoleStore, 'load'>): Promise<void> {
  if (!existsSync(join(folder, MANIFEST))) return;
  const refuse = (problem: string, cause?: unknown): CommandFailure =>
    new CommandFailure(`${folder} holds an export ${problem}`, { cause, code: 'cannot_write' });
  let unknown = 0;
  try {
    for (const file of (await readManifestIn(folder)).records) {
      for (const { kind, value } of await readRecords(folder, file)) {
        if (kind !== 'publication') continue;
        if ((await roles.load(value.id)) !== undefined) return;
        unknown += 1;
      }
    }
  } catch (cause) {
    if (!(cause instanceof CommandFailure)) throw cause;
    throw refuse(`that cannot be read (${cause.message}); name another folder`, cause);
  }
  if (unknown === 0) return;
  const none = `this one knows none of its ${unknown} publications`;
  throw refuse(`of another database: ${none}. Check the settings; if they are right, name another folder`);
}
