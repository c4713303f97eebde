import { createHash } from 'node:crypto';
import { type ArchiveId, type ArchiveStorage, isFault, type Sha256 } from '@pinfold/core';
import { MAX_READ } from '@pinfold/core/adapter';
import { CommandFailure } from '../command-line/failures.ts';
import type { MovingArchive } from './export-form.ts';

/**
 * Reads a whole archive; `undefined` when it is not there, or no longer.
 *
 * @throws CommandFailure that names it when the storage does not give it, as a disk that is damaged there does not.
 */
export async function wholeArchive(
  archives: Pick<ArchiveStorage, 'read' | 'size'>,
  id: ArchiveId,
): Promise<MovingArchive | undefined> {
  try {
    return await readWhole(archives, id);
  } catch (error) {
    if (!isFault(error)) throw error;
    throw new CommandFailure(`archive ${id} cannot be read: ${error.message} (${error.code})`, {
      cause: error,
    });
  }
}

async function readWhole(
  archives: Pick<ArchiveStorage, 'read' | 'size'>,
  id: ArchiveId,
): Promise<MovingArchive | undefined> {
  const bytes = await archives.size(id);
  if (bytes === undefined) return undefined;
  const pieces: Uint8Array[] = [];
  for (let from = 0; from < bytes; from += MAX_READ) {
    const piece = await archives.read(id, from, Math.min(MAX_READ, bytes - from));
    if (piece === undefined) return undefined;
    pieces.push(piece);
  }
  return { id, pieces, bytes, sha256: hashOf(pieces) };
}

/** The SHA-256 of what pieces are together. */
export function hashOf(pieces: readonly Uint8Array[]): Sha256 {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex') as Sha256;
}

/** All ids that a storage has. */
export async function* storedArchives(
  archives: Pick<ArchiveStorage, 'list'>,
): AsyncGenerator<ArchiveId, void> {
  let after: ArchiveId | undefined;
  for (;;) {
    const page = await archives.list(after, 1_000);
    yield* page;
    after = page.at(-1);
    if (after === undefined) return;
  }
}
