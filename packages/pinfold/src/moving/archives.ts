import { createHash } from 'node:crypto';
import {
  type ArchiveId,
  type ArchiveStorage,
  isFault,
  type Sha256,
  type StagedArchive,
  type Staging,
} from '@pinfold/core';
import { MAX_READ } from '@pinfold/core/adapter';
import { CommandFailure } from '../command-line/failures.ts';

export interface MovingArchive {
  readonly id: ArchiveId;
  readonly pieces: readonly Uint8Array[];
  readonly bytes: number;
  readonly sha256: Sha256;
}

/** The number of archives read or stored at the same time. Each is held in memory as a whole. */
export const CONCURRENCY = 4;

/** The maximum bytes of an archive to move; far above what the settings allow. */
const MAX_ARCHIVE_BYTES = 1_073_741_824;

/** @throws CommandFailure if the archive is larger than any publication can be. */
export function checkArchiveSize(id: ArchiveId, bytes: number): void {
  if (bytes <= MAX_ARCHIVE_BYTES) return;
  throw new CommandFailure(
    `archive ${id} is over a gigabyte, more than any publication can have`,
    'unreadable',
  );
}

export function toMovingArchive(id: ArchiveId, pieces: readonly Uint8Array[], bytes: number): MovingArchive {
  return { id, pieces, bytes, sha256: computeHash(pieces) };
}

export function computeHash(pieces: readonly Uint8Array[]): Sha256 {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex') as Sha256;
}

/**
 * Reads a whole archive; `undefined` if it is missing. A CommandFailure names an archive that cannot be read, for
 * example because the disk is damaged.
 */
export async function readArchive(
  archives: Pick<ArchiveStorage, 'read' | 'size'>,
  id: ArchiveId,
): Promise<MovingArchive | undefined> {
  try {
    const bytes = await archives.size(id);
    if (bytes === undefined) return undefined;
    checkArchiveSize(id, bytes);
    const pieces: Uint8Array[] = [];
    for (let from = 0; from < bytes; from += MAX_READ) {
      const piece = await archives.read(id, from, Math.min(MAX_READ, bytes - from));
      if (piece === undefined) return undefined;
      pieces.push(piece);
    }
    return toMovingArchive(id, pieces, bytes);
  } catch (cause) {
    if (!isFault(cause)) throw cause;
    throw new CommandFailure(`archive ${id} cannot be read: ${cause.message} (${cause.code})`, {
      cause,
      code: 'unreadable',
    });
  }
}

/** @param prove throws for a wrong archive, before it is stored. */
export async function storeArchive(
  { id, pieces, bytes }: MovingArchive,
  { staging, archives }: { readonly staging: Staging; readonly archives: ArchiveStorage },
  prove?: (staged: StagedArchive) => Promise<void>,
): Promise<void> {
  const received = await staging.receive(ReadableStream.from(pieces), bytes);
  if (received.kind !== 'received') throw new Error('staging received more bytes than the archive has');
  try {
    await prove?.(received.archive);
    await archives.put(id, received.archive);
  } finally {
    await received.archive.discard();
  }
}

export async function* listArchives(archives: Pick<ArchiveStorage, 'list'>): AsyncGenerator<ArchiveId, void> {
  let after: ArchiveId | undefined;
  do {
    const page = await archives.list(after, 1_000);
    yield* page;
    after = page.at(-1);
  } while (after !== undefined);
}

/** Works on several items at once, and yields the results in order. */
export async function* prefetch<Item, Result>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, void> {
  const running: Promise<Result>[] = [];
  try {
    for await (const item of items) {
      const task = work(item);
      // Awaited later: until then a rejection must not count as unhandled.
      task.catch(() => undefined);
      if (running.push(task) >= CONCURRENCY) yield await (running.shift() as Promise<Result>);
    }
    for (const task of running) yield await task;
  } finally {
    await Promise.allSettled(running);
  }
}
