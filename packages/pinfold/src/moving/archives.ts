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

/** Archives read or stored at the same time: each is in memory as a whole. */
export const AT_ONCE = 4;

/** The most bytes of an archive that is moved. No setting allows so many. */
const MAX_ARCHIVE_BYTES = 1_073_741_824;

/** @throws CommandFailure for more bytes than an archive has. */
export function refuseLargeArchive(id: ArchiveId, bytes: number): void {
  if (bytes <= MAX_ARCHIVE_BYTES) return;
  throw new CommandFailure(`archive ${id} is over a gigabyte: no publication is`, 'unreadable');
}

export function archiveOf(id: ArchiveId, pieces: readonly Uint8Array[], bytes: number): MovingArchive {
  return { id, pieces, bytes, sha256: hashOf(pieces) };
}

export function hashOf(pieces: readonly Uint8Array[]): Sha256 {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex') as Sha256;
}

/** Reads a whole archive; `undefined` if it is not there. A CommandFailure names it: a disk may be damaged. */
export async function readArchive(
  archives: Pick<ArchiveStorage, 'read' | 'size'>,
  id: ArchiveId,
): Promise<MovingArchive | undefined> {
  try {
    const bytes = await archives.size(id);
    if (bytes === undefined) return undefined;
    refuseLargeArchive(id, bytes);
    const pieces: Uint8Array[] = [];
    for (let from = 0; from < bytes; from += MAX_READ) {
      const piece = await archives.read(id, from, Math.min(MAX_READ, bytes - from));
      if (piece === undefined) return undefined;
      pieces.push(piece);
    }
    return archiveOf(id, pieces, bytes);
  } catch (cause) {
    if (!isFault(cause)) throw cause;
    throw new CommandFailure(`archive ${id} cannot be read: ${cause.message} (${cause.code})`, {
      cause,
      code: 'unreadable',
    });
  }
}

/** @param prove rejects an archive before it is stored. */
export async function storeArchive(
  { id, pieces, bytes }: MovingArchive,
  { staging, archives }: { readonly staging: Staging; readonly archives: ArchiveStorage },
  prove?: (staged: StagedArchive) => Promise<void>,
): Promise<void> {
  const received = await staging.receive(ReadableStream.from(pieces), bytes);
  if (received.kind !== 'received') throw new Error('an archive is longer than it is');
  try {
    await prove?.(received.archive);
    await archives.put(id, received.archive);
  } finally {
    await received.archive.discard();
  }
}

export async function* storedArchives(
  archives: Pick<ArchiveStorage, 'list'>,
): AsyncGenerator<ArchiveId, void> {
  let after: ArchiveId | undefined;
  do {
    const page = await archives.list(after, 1_000);
    yield* page;
    after = page.at(-1);
  } while (after !== undefined);
}

/** Begins work on the next items before the first result is asked for again, and gives the results in order. */
export async function* prefetch<Item, Result>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, void> {
  const underWay: Promise<Result>[] = [];
  try {
    for await (const item of items) {
      const begun = work(item);
      // Its outcome is awaited in its turn: until then a rejection must not count as unhandled.
      begun.catch(() => undefined);
      if (underWay.push(begun) >= AT_ONCE) yield await (underWay.shift() as Promise<Result>);
    }
    for (const begun of underWay) yield await begun;
  } finally {
    await Promise.allSettled(underWay);
  }
}
