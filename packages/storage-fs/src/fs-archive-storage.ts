import { join } from 'node:path';
import {
  type ArchiveId,
  type ArchiveStorage,
  type Clock,
  Fault,
  hours,
  type StagedArchive,
} from '@pinfold/core';
import { archiveCreatedAt, checkReadRange, Semaphore } from '@pinfold/core/adapter';
import { systemCodeOf } from '@pinfold/core/internal';
import { ArchiveFolders, type ArchivePlace, placeOf, walkArchives } from './archive-folders.ts';
import {
  createFolderFlush,
  type Files,
  makeFolder,
  nodeFiles,
  orFault,
  syncAndClose,
  syncPath,
  unlessFull,
  writeProbe,
} from './files.ts';
import { MOVED, stagedName } from './fs-staging.ts';

/** Options of {@link openFsArchiveStorage}. */
export interface FsArchiveStorageOptions {
  /** The folder of archives; created if missing. Nodes that share it see each other's archives. */
  readonly folder: string;
  /** The staging folder of the uploads; must be on the same volume. */
  readonly staging: { readonly folder: string };
  readonly clock: Clock;
}

const UNAVAILABLE = 'storage_unavailable';

/** A file that exists in the folder only during a check. */
const PROBE = 'probe';

/** The age from which an empty folder may be removed, since no running publication uses it any more. */
const MIN_PRUNE_AGE = hours(1);

/** A cleanup deletes thousands of files, and all requests share Node's four threads for files. */
const MAX_DELETIONS = 2;

/** Leaves one of these threads to folders and to views while the disk is slow. */
const MAX_FLUSHES = 3;

/** Attempts to move a file, since another process may remove its empty folder meanwhile. */
const MAX_ATTEMPTS = 3;

/**
 * Stores archives as files, by moving the uploaded files. Open one with {@link openFsArchiveStorage}.
 *
 * It has no descriptor open between calls, so the space of a deleted archive is free at once, on every node.
 */
export class FsArchiveStorage implements ArchiveStorage {
  readonly #root: string;
  readonly #staging: string;
  readonly #clock: Clock;
  readonly #files: Files;
  readonly #folders: ArchiveFolders;
  readonly #flush: (folder: string) => Promise<void>;
  readonly #prepared: WeakMap<StagedArchive, Promise<void>> = new WeakMap();
  readonly #flushing: Semaphore = new Semaphore({ places: MAX_FLUSHES });
  readonly #deletions: Semaphore = new Semaphore({ places: MAX_DELETIONS });

  constructor(options: FsArchiveStorageOptions, files: Files = nodeFiles) {
    this.#root = options.folder;
    this.#staging = options.staging.folder;
    this.#clock = options.clock;
    this.#files = files;
    this.#folders = new ArchiveFolders(files);
    this.#flush = createFolderFlush(files);
  }

  /** Flushes the file while its entries are inflated and compared. A failed flush fails the next put: a second flush would not report lost bytes. */
  async prepare(archive: StagedArchive): Promise<void> {
    const { file } = archive;
    if (file === undefined) return;
    await orFault(UNAVAILABLE, async () => {
      const handle = await this.#files.open(file, 'r+');
      const synced = this.#flushing.run(undefined, () => syncAndClose(handle));
      this.#prepared.set(archive, synced);
      await synced;
    });
  }

  /** An abort after the move has begun has no effect. */
  async put(id: ArchiveId, archive: StagedArchive, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const { file } = archive;
    if (file !== undefined) {
      await orFault(UNAVAILABLE, () => this.#syncOnce(archive, file));
      await this.#putFile(id, file, signal);
      MOVED.add(archive);
      return;
    }
    const copy = join(this.#staging, stagedName(this.#clock.now()));
    try {
      await orFault(UNAVAILABLE, () => this.#write(copy, archive, signal));
      await this.#putFile(id, copy, signal);
    } catch (error) {
      // If the copy cannot be removed now, the sweep of the staging folder removes it.
      await this.#files.rm(copy, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  async #putFile(id: ArchiveId, file: string, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    await orFault(UNAVAILABLE, () => this.#move(file, placeOf(this.#root, id)));
  }

  async #write(file: string, archive: StagedArchive, signal: AbortSignal | undefined): Promise<void> {
    const handle = await this.#files.open(file, 'wx', 0o600);
    try {
      let size = 0;
      for await (const bytes of archive.open()) {
        signal?.throwIfAborted();
        await handle.writeFile(bytes);
        size += bytes.length;
      }
      checkSize(size, archive);
      await this.#flushing.run(undefined, () => handle.sync());
    } finally {
      await handle.close();
    }
  }

  /** @throws TypeError for a range that no archive can have. */
  async read(
    id: ArchiveId,
    from: number,
    length: number,
    signal?: AbortSignal,
  ): Promise<Uint8Array<ArrayBuffer> | undefined> {
    signal?.throwIfAborted();
    checkReadRange(from, length);
    const bytes = await orFault(UNAVAILABLE, () => this.#readRange(id, from, length));
    signal?.throwIfAborted();
    return bytes;
  }

  async size(id: ArchiveId, signal?: AbortSignal): Promise<number | undefined> {
    signal?.throwIfAborted();
    return orFault(UNAVAILABLE, async () => {
      const file = await this.#unlessAbsent(this.#files.stat(placeOf(this.#root, id).file));
      return file?.size;
    });
  }

  async delete(id: ArchiveId, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await this.#deletions.run(undefined, () => orFault(UNAVAILABLE, () => this.#delete(id)));
  }

  async list(
    after: ArchiveId | undefined,
    limit: number,
    signal?: AbortSignal,
  ): Promise<readonly ArchiveId[]> {
    signal?.throwIfAborted();
    const walk = async (): Promise<readonly ArchiveId[]> => {
      const found = await walkArchives(this.#files, this.#root, after ?? '', limit, signal);
      // If the root folder is missing, the listing must fail rather than end.
      await this.#assertRoot();
      return found;
    };
    return orFault(UNAVAILABLE, walk, signal);
  }

  async check(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    // After a crash, the sweep of the staging folder removes the probe there.
    const staged = join(this.#staging, stagedName(this.#clock.now()));
    const probe = join(this.#root, PROBE);
    await orFault(UNAVAILABLE, async () => {
      await writeProbe(this.#files, staged);
      try {
        await this.#files.rename(staged, probe);
      } finally {
        await this.#files.rm(staged, { force: true });
      }
      // Another node's check may have removed it.
      await this.#files.rm(probe, { force: true });
    });
    signal?.throwIfAborted();
  }

  /** Flushes the file before it is moved into the storage, unless `prepare` has. */
  async #syncOnce(archive: StagedArchive, file: string): Promise<void> {
    const prepared = this.#prepared.get(archive);
    // A further put of the archive flushes again.
    this.#prepared.delete(archive);
    await (prepared ?? this.#flushing.run(undefined, () => syncPath(this.#files, file, 'r+')));
    checkSize((await this.#files.stat(file)).size, archive);
  }

  async #move(file: string, place: ArchivePlace): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#folders.make(place);
        await this.#files.rename(file, place.file);
        break;
      } catch (error) {
        if (systemCodeOf(error) !== 'ENOENT' || attempt === MAX_ATTEMPTS) throw error;
        this.#folders.forget(place);
      }
    }
    await this.#flush(place.folder);
  }

  async #delete(id: ArchiveId): Promise<void> {
    const place = placeOf(this.#root, id);
    await this.#unlessAbsent(this.#files.unlink(place.file));
    const age = this.#clock.now() - archiveCreatedAt(id);
    if (age > MIN_PRUNE_AGE) await this.#folders.prune(place);
  }

  async #readRange(
    id: ArchiveId,
    from: number,
    length: number,
  ): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const handle = await this.#unlessAbsent(this.#files.open(placeOf(this.#root, id).file, 'r'));
    if (handle === undefined) return undefined;
    try {
      // Not from Node's pool, all of which a cached buffer would hold in memory.
      const bytes = Buffer.allocUnsafeSlow(length);
      let done = 0;
      if (length === 0 && from > (await handle.stat()).size)
        throw new Fault(UNAVAILABLE, `archive ${id} ends before byte ${from}`);
      while (done < length) {
        const { bytesRead } = await handle.read(bytes, done, length - done, from + done);
        if (bytesRead === 0) throw new Fault(UNAVAILABLE, `archive ${id} ends before byte ${from + length}`);
        done += bytesRead;
      }
      return new Uint8Array(bytes.buffer);
    } finally {
      // Not awaited: closing may wait for a thread, and cannot invalidate the bytes.
      handle.close().catch(() => {});
    }
  }

  /** Returns `undefined` for a missing archive. A missing root folder, such as one not mounted, is a fault instead. */
  async #unlessAbsent<Result>(present: Promise<Result>): Promise<Result | undefined> {
    try {
      return await present;
    } catch (error) {
      if (systemCodeOf(error) !== 'ENOENT') throw error;
      await this.#assertRoot();
      return undefined;
    }
  }

  async #assertRoot(): Promise<void> {
    await this.#files.stat(`${this.#root}/.`);
  }
}

function checkSize(size: number, archive: StagedArchive): void {
  if (size !== archive.size)
    throw new Fault(UNAVAILABLE, `a staged archive has ${size} bytes, not ${archive.size}`);
}

/**
 * Opens a folder for archives, and creates it if it is missing. It also opens on a full disk.
 *
 * @throws Fault `storage_unavailable` when the folder cannot be written, other than for lack of space, or when the staging
 * folder is on another volume.
 *
 * @example
 * import { SystemClock } from '@pinfold/platform-node';
 * import { openFsArchiveStorage, openFsStaging } from '@pinfold/storage-fs';
 *
 * const clock = new SystemClock();
 * const staging = await openFsStaging({ folder: './staging', clock });
 * const archives = await openFsArchiveStorage({ folder: './archives', staging, clock });
 */
export async function openFsArchiveStorage(
  options: FsArchiveStorageOptions,
  files: Files = nodeFiles,
): Promise<FsArchiveStorage> {
  const folder = await orFault(UNAVAILABLE, () => makeFolder(files, options.folder));
  const storage = new FsArchiveStorage({ ...options, folder }, files);
  try {
    await unlessFull(() => storage.check());
  } catch (error) {
    if (!(error instanceof Fault) || systemCodeOf(error.cause) !== 'EXDEV') throw error;
    const message = `the archives' folder ${folder} and the staging folder ${options.staging.folder} must lie on one volume`;
    throw new Fault(UNAVAILABLE, message, { cause: error.cause });
  }
  return storage;
}
