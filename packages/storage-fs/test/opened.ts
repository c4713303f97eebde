import { readdirSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type ArchiveStorage, isFault, type StagedArchive } from '@pinfold/core';
import { FsArchiveStorage, type FsStaging, openFsArchiveStorage, openFsStaging } from '@pinfold/storage-fs';
import {
  anArchiveId,
  createManualClock,
  type ManualClock,
  type StagedFile,
} from '@pinfold/test-contracts/fixtures';

import { placeOf } from '../src/archive-folders.ts';

/** A data folder with staging and archives, as in the service. */
export interface Opened {
  /** The data folder. */
  readonly folder: string;
  readonly clock: ManualClock;
  readonly staging: FsStaging;
  readonly storage: FsArchiveStorage;
  /** Opens staging or archives once more, as after a restart. */
  openStaging(): Promise<FsStaging>;
  openStorage(): Promise<FsArchiveStorage>;
  /** Archives in a missing folder. */
  unreachable(): Promise<ArchiveStorage>;
  /** Archives in a folder that was removed after it was opened. */
  placeGone(): Promise<ArchiveStorage>;
  /** The number of files in the archives' folder. */
  left(): Promise<number>;
  /** Receives bytes as an upload does. */
  stage(bytes: Uint8Array): Promise<StagedFile>;
  /** Adds files and folders that are neither archives nor uploads. */
  strew(): Promise<void>;
  dispose(): Promise<void>;
}

export async function openFolder(): Promise<Opened> {
  const folder = await mkdtemp(join(tmpdir(), 'pinfold-fs-'));
  const clock = createManualClock();
  const openStaging = (): Promise<FsStaging> => openFsStaging({ folder: join(folder, 'staging'), clock });
  const staging = await openStaging();
  const openStorage = (): Promise<FsArchiveStorage> =>
    openFsArchiveStorage({ folder: join(folder, 'archives'), staging, clock });
  return {
    folder,
    clock,
    staging,
    storage: await openStorage(),
    openStaging,
    openStorage,
    unreachable: async () => new FsArchiveStorage({ folder: join(folder, 'gone'), staging, clock }),
    placeGone: async () => {
      const removed = join(folder, 'removed');
      const storage = await openFsArchiveStorage({ folder: removed, staging, clock });
      await rm(removed, { recursive: true });
      return storage;
    },
    left: async () => (await filesIn(join(folder, 'archives'))).length,
    stage: async (bytes) => {
      const outcome = await staging.receive(inOne(bytes), bytes.length);
      if (outcome.kind !== 'received') throw new Error('a fixture was not received');
      const { archive } = outcome;
      if (!isInFile(archive)) throw new Error('a fixture is in no file');
      return archive;
    },
    strew: () => strew(folder),
    dispose: () => rm(folder, { recursive: true }),
  };
}

function isInFile(archive: StagedArchive): archive is StagedFile {
  return archive.file !== undefined;
}

/** Names similar to ours, at every level of our folders. */
async function strew(folder: string): Promise<void> {
  const [archives, staging] = [join(folder, 'archives'), join(folder, 'staging')];
  const { span, folder: seconds, file } = placeOf(archives, anArchiveId(1));
  const upload = '1795176000000-0c5a1f6e-2b7d-4e9a-9c3f-8d1b6a7e4f20.upload';
  const folders = [
    'lost+found',
    'a0179',
    '01790',
    join(basename(span), 'a795'),
    join(basename(span), '7950'),
  ];
  const deep = folders.map((name) => join(name, '176'));
  // Names with one digit more, which together start as the id does.
  for (const name of [...deep, join('17951', '760'), join('1795', '1760')]) {
    await mkdir(join(archives, name), { recursive: true });
    await writeFile(join(archives, name, basename(file)), 'none of ours');
  }
  await mkdir(seconds, { recursive: true });
  await mkdir(join(seconds, `${basename(file).slice(0, -1)}f`), { recursive: true });
  const files = [
    join(archives, '0179'),
    join(archives, 'README'),
    join(span, '999'),
    join(seconds, `${basename(file)}.tmp`),
    join(seconds, `x${basename(file)}`),
    join(seconds, basename(placeOf(archives, anArchiveId(90_000_000)).file)),
    ...['README', `x${upload}`, `${upload}~`, upload.replace('0c5a', 'UPPER')].map((name) =>
      join(staging, name),
    ),
  ];
  for (const name of files) await writeFile(name, 'none of ours');
  const link = placeOf(archives, anArchiveId(99)).file;
  await rm(link, { force: true });
  await symlink('/dev/null', link);
}

/** A body of one chunk. */
export async function* inOne(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}

/** Every file below the data folder, by its relative path. */
export async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  return files.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)).sort();
}

/** The code of the fault with which a call rejects, or its other outcome. */
export async function faultOf(call: Promise<unknown>): Promise<unknown> {
  const outcome = await call.then(
    (value) => ({ value }),
    (error: unknown) => error,
  );
  return isFault(outcome) ? outcome.code : outcome;
}

/** The code of the system's error that caused the fault. */
export async function causeOf(call: Promise<unknown>): Promise<unknown> {
  const error = await call.catch((reason: unknown) => reason);
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause ? cause.code : undefined;
}

/** The number of open descriptors of this process. Counting opens one itself, and is synchronous so that no other count includes it. */
export function descriptors(): number {
  return readdirSync('/dev/fd').length;
}
