import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import {
  type Clock,
  Fault,
  type Instant,
  type ReceiveOutcome,
  type StagedArchive,
  type Staging,
} from '@pinfold/core';
import { raceSignal } from '@pinfold/core/adapter';
import {
  type Files,
  makeFolder,
  nodeFiles,
  orFault,
  unlessFull,
  unlessRefused,
  writeProbe,
} from './files.ts';
import { HashedFile, type WrittenFile } from './hashed-file.ts';

/** Options of {@link openFsStaging}. */
export interface FsStagingOptions {
  /** The folder for uploads until they are stored; created if missing. No other node may use it. */
  readonly folder: string;
  readonly clock: Clock;
}

type Written = WrittenFile & { readonly size: number };

const UNAVAILABLE = 'staging_unavailable';

/** Archives whose file the archive storage has moved, so that `discard` need not access the disk. */
export const MOVED: WeakSet<StagedArchive> = new WeakSet();

/**
 * Receives uploads into files of a folder, one file and one descriptor per upload, readable by its owner only. Uploads of
 * up to 16 KiB stay in memory. Open one with {@link openFsStaging}.
 */
export class FsStaging implements Staging {
  /** The folder's absolute path. */
  readonly folder: string;
  readonly #clock: Clock;
  readonly #files: Files;

  constructor(options: FsStagingOptions, files: Files = nodeFiles) {
    this.folder = options.folder;
    this.#clock = options.clock;
    this.#files = files;
  }

  async receive(
    body: AsyncIterable<Uint8Array>,
    limit: number,
    signal?: AbortSignal,
  ): Promise<ReceiveOutcome> {
    signal?.throwIfAborted();
    const file = join(this.folder, stagedName(this.#clock.now()));
    const target = new HashedFile(() => this.#files.open(file, 'wx', 0o600));
    let written: Written | undefined;
    try {
      written = await this.#write(target, body, limit, signal);
    } catch (error) {
      // Throws the first error. If the file cannot be removed now, the sweep removes it.
      await this.#discard(file).catch(() => undefined);
      throw error;
    }
    if (written === undefined) {
      await this.#discard(file);
      return { kind: 'too_large' };
    }
    const { bytes } = written;
    const archive = bytes === undefined ? this.#inFile(file, written) : inMemory({ ...written, bytes });
    return { kind: 'received', archive };
  }

  async sweep(receivedBefore: Instant): Promise<number> {
    return orFault(UNAVAILABLE, async () => {
      let swept = 0;
      for await (const file of this.#abandoned(receivedBefore)) {
        const removed = this.#files.unlink(file).then(() => 1);
        swept += (await unlessRefused(['ENOENT'], removed)) ?? 0;
      }
      return swept;
    });
  }

  async countAbandoned(receivedBefore: Instant): Promise<number> {
    return orFault(UNAVAILABLE, async () => {
      let count = 0;
      for await (const _ of this.#abandoned(receivedBefore)) count += 1;
      return count;
    });
  }

  async check(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const file = join(this.folder, stagedName(this.#clock.now()));
    await orFault(UNAVAILABLE, async () => {
      await writeProbe(this.#files, file);
      await this.#files.unlink(file);
    });
    signal?.throwIfAborted();
  }

  async *#abandoned(receivedBefore: Instant): AsyncGenerator<string, void> {
    for await (const entry of await this.#files.opendir(this.folder)) {
      if (isBegunBefore(receivedBefore, entry.name)) yield join(this.folder, entry.name);
    }
  }

  /** Writes the body; `undefined` if it has more than `limit` bytes. Always closes the descriptor. */
  async #write(
    target: HashedFile,
    body: AsyncIterable<Uint8Array>,
    limit: number,
    signal: AbortSignal | undefined,
  ): Promise<Written | undefined> {
    let size = 0;
    try {
      for await (const chunk of untilAborted(body, signal)) {
        size += chunk.byteLength;
        if (size > limit) return undefined;
        await orFault(UNAVAILABLE, () => target.write(chunk));
      }
      signal?.throwIfAborted();
      return { size, ...(await orFault(UNAVAILABLE, () => target.end())) };
    } finally {
      await orFault(UNAVAILABLE, () => target.close());
    }
  }

  #inFile(file: string, written: Written): StagedArchive {
    const discard = async (): Promise<void> => {
      if (!MOVED.has(archive)) await this.#discard(file);
    };
    const archive: StagedArchive = { file, ...written, open: () => bytesOf(file), discard };
    return archive;
  }

  #discard(file: string): Promise<void> {
    return orFault(UNAVAILABLE, () => unlessRefused(['ENOENT'], this.#files.unlink(file)));
  }
}

function inMemory(written: Written & { readonly bytes: Uint8Array }): StagedArchive {
  let isDiscarded = false;
  return {
    ...written,
    async *open() {
      if (isDiscarded) throw new Fault(UNAVAILABLE, 'a staged archive was discarded');
      yield written.bytes;
    },
    discard: async () => {
      isDiscarded = true;
    },
  };
}

async function* bytesOf(file: string): AsyncGenerator<Uint8Array, void> {
  const stream = createReadStream(file);
  try {
    yield* stream;
  } catch (cause) {
    throw new Fault(UNAVAILABLE, 'a staged archive cannot be read', { cause });
  } finally {
    stream.destroy();
  }
}

/**
 * Opens a folder for uploads, and creates it if it is missing. It also opens on a full disk.
 *
 * @throws Fault `staging_unavailable` when the folder cannot be written, other than for lack of space.
 *
 * @example
 * import { SystemClock } from '@pinfold/platform-node';
 * import { openFsStaging } from '@pinfold/storage-fs';
 *
 * const staging = await openFsStaging({ folder: './staging', clock: new SystemClock() });
 */
export async function openFsStaging(options: FsStagingOptions, files: Files = nodeFiles): Promise<FsStaging> {
  const folder = await orFault(UNAVAILABLE, () => makeFolder(files, options.folder));
  const staging = new FsStaging({ ...options, folder }, files);
  await unlessFull(() => staging.check());
  return staging;
}

const NAME = /^(\d+)-[0-9a-f-]{36}\.upload$/;

/** A new file name for an upload that began at an instant. It contains no input. */
export function stagedName(begun: Instant): string {
  return `${begun}-${randomUUID()}.upload`;
}

function isBegunBefore(instant: Instant, name: string): boolean {
  // Other names give NaN, for which the comparison is false.
  return Number(NAME.exec(name)?.[1]) < instant;
}

/** Yields a body's chunks; throws an abort's reason even while it waits for one. Does not wait for the body to close. */
async function* untilAborted<Chunk>(
  body: AsyncIterable<Chunk>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Chunk, void> {
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await raceSignal(chunks.next(), signal);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // Ignores errors of closing, since all needed chunks have been read.
    Promise.resolve(chunks.return?.()).catch(() => undefined);
  }
}
