import { createHash } from 'node:crypto';
import { type ArchiveId, type ArchiveStorage, isFault, type Sha256, type StagedArchive } from '@pinfold/core';
import { MAX_READ } from '@pinfold/core/adapter';
import { systemCodeOf } from '@pinfold/core/internal';
import { CommandFailure } from '../command-line/failures.ts';
import type { Step, Walk } from './walk.ts';

/** A whole archive in memory. */
export interface MovingArchive extends StagedArchive {
  readonly id: ArchiveId;
  readonly bytes: Uint8Array;
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

export function toMovingArchive(id: ArchiveId, bytes: Uint8Array): MovingArchive {
  return {
    id,
    bytes,
    size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex') as Sha256,
    async *open() {
      yield bytes;
    },
    discard: async () => undefined,
  };
}

export async function* listArchives(archives: Pick<ArchiveStorage, 'list'>): AsyncGenerator<ArchiveId, void> {
  let after: ArchiveId | undefined;
  do {
    const page = await archives.list(after, 1_000);
    yield* page;
    after = page.at(-1);
  } while (after !== undefined);
}

/**
 * Reads the archives that a walk needs, in order of their ids. Yields others without reading them: a page of a list has a
 * thousand.
 */
export async function* readArchives(storage: ArchiveStorage, walk: Walk): AsyncGenerator<Step, void> {
  // Only of those that need no reading: there may be millions of ids.
  const stored = new Set<ArchiveId>();
  for await (const id of listArchives(storage)) {
    if (!walk.named.has(id)) yield { kind: 'archive', id, loaded: undefined };
    else if (!walk.needs(id)) stored.add(id);
  }
  const running: Promise<readonly Step[]>[] = [];
  try {
    for (const id of [...walk.named.keys()].sort()) {
      const read = readStep(storage, walk, id, stored.has(id));
      // Awaited later: until then a rejection must not count as unhandled.
      read.catch(() => undefined);
      if (running.push(read) >= CONCURRENCY) yield* (await running.shift()) ?? [];
    }
    for (const read of running) yield* await read;
  } finally {
    await Promise.allSettled(running);
  }
}

/** Returns nothing for a missing archive. */
async function readStep(
  storage: ArchiveStorage,
  walk: Walk,
  id: ArchiveId,
  isStored: boolean,
): Promise<readonly Step[]> {
  const present: Step = { kind: 'archive', id, loaded: undefined };
  try {
    if (!walk.needs(id)) return isStored || (await storage.size(id)) !== undefined ? [present] : [];
    const loaded = await readArchive(storage, id);
    return loaded === undefined ? [] : [{ ...present, loaded }];
  } catch (error) {
    walk.onFailure(toFailure(`archive ${id}`, error));
    return [present];
  }
}

/** Reads a whole archive; `undefined` if it is missing. */
async function readArchive(storage: ArchiveStorage, id: ArchiveId): Promise<MovingArchive | undefined> {
  const size = await storage.size(id);
  if (size === undefined) return undefined;
  checkArchiveSize(id, size);
  const bytes = Buffer.allocUnsafeSlow(size);
  for (let from = 0; from < size; from += MAX_READ) {
    const piece = await storage.read(id, from, Math.min(MAX_READ, size - from));
    if (piece === undefined) return undefined;
    bytes.set(piece, from);
  }
  return toMovingArchive(id, bytes);
}

/**
 * Describes why something cannot be read, for example because the disk is damaged. Throws an error that is a bug of this
 * program.
 */
export function toFailure(name: string, cause: unknown): CommandFailure {
  if (cause instanceof CommandFailure) return cause;
  const reason = isFault(cause) ? `: ${cause.message} (${cause.code})` : ` (${systemCodeOf(cause)})`;
  if (!isFault(cause) && systemCodeOf(cause) === undefined) throw cause;
  return new CommandFailure(`${name} cannot be read${reason}`, { cause, code: 'unreadable' });
}
