import { createHash } from 'node:crypto';
import { crc32, inflateRawSync } from 'node:zlib';
import {
  type ArchiveId,
  type ArchiveInspector,
  type ArchiveStorage,
  type EncodedManifest,
  isFault,
  type ManifestEntry,
  type Sha256,
  type StagedArchive,
} from '@pinfold/core';
import { MAX_READ } from '@pinfold/core/adapter';
import { decodeManifest, entryPath, systemCodeOf } from '@pinfold/core/internal';
import { CommandFailure } from '../command-line/failures.ts';
import type { Walk } from './walk.ts';

/** A whole archive in memory. */
export interface MovingArchive extends StagedArchive {
  readonly id: ArchiveId;
  readonly bytes: Uint8Array;
}

/** The maximum bytes of an archive to move; far above what the settings allow. */
const MAX_ARCHIVE_BYTES = 1_073_741_824;

/** @throws CommandFailure if the archive is larger than any publication can be. */
export function checkArchiveSize(id: string, bytes: number): void {
  if (bytes > MAX_ARCHIVE_BYTES)
    throw unreadable(`archive ${id} is over a gigabyte, more than any publication can have`);
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
 * Tells a walk what a storage has. Returns the archives to read, in order of their ids.
 *
 * @param sample the number of archives to read, chosen at random. Default: all that the destination needs.
 */
export async function findArchives(
  storage: ArchiveStorage,
  walk: Walk,
  sample?: number,
): Promise<readonly ArchiveId[]> {
  const needed: { readonly id: ArchiveId; readonly order: number }[] = [];
  for await (const id of listArchives(storage)) if (walk.find(id)) needed.push({ id, order: Math.random() });
  if (sample !== undefined) needed.sort((one, other) => one.order - other.order).splice(sample);
  // Without trying to read it, an archive does not count as missing.
  return [...needed.map(({ id }) => id), ...walk.absent.map(({ archive }) => archive)].sort();
}

export async function moveArchives(
  storage: ArchiveStorage,
  ids: readonly ArchiveId[],
  walk: Walk,
): Promise<void> {
  for (const id of ids) await walk.move(id, () => readArchive(storage, id));
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

export function unreadable(message: string, cause?: unknown): CommandFailure {
  return new CommandFailure(message, { cause, code: 'unreadable' });
}

/**
 * Describes why something cannot be read, for example because the disk is damaged. Throws an error that is a bug of this
 * program.
 */
export function toFailure(name: string, cause: unknown): CommandFailure {
  if (cause instanceof CommandFailure) return cause;
  const reason = isFault(cause) ? `: ${cause.message} (${cause.code})` : ` (${systemCodeOf(cause)})`;
  if (!isFault(cause) && systemCodeOf(cause) === undefined) throw cause;
  return unreadable(`${name} cannot be read${reason}`, cause);
}

/**
 * Whether a manifest names only files of its archive: each is an entry of the ZIP with the same sizes, method, CRC-32
 * and bytes. Otherwise the author of an export could show bytes that were never proved, such as the ZIP itself.
 */
export async function matchesArchive(
  manifest: EncodedManifest,
  archive: MovingArchive,
  inspector: ArchiveInspector,
): Promise<boolean> {
  const entries = manifestEntries(manifest);
  if (entries === undefined) return false;
  const keyOf = (...numbers: readonly number[]): string => numbers.join();
  const { entries: listed } = await inspector.list(archive);
  const keys = new Set(
    listed.map((one) => keyOf(one.dataOffset, one.compressedSize, one.size, one.crc32, one.method)),
  );
  const areListed = entries.every((one) =>
    keys.has(keyOf(one.offset, one.compressedSize, one.size, one.crc32, one.method === 'stored' ? 0 : 8)),
  );
  return areListed && hasEntries(archive.bytes, entries);
}

/** The files of a manifest; `undefined` if it is invalid, or names a path or an offset twice. */
export function manifestEntries(manifest: EncodedManifest): readonly ManifestEntry[] | undefined {
  try {
    const { entries } = decodeManifest(manifest);
    const paths = new Set(entries.map(({ path }) => entryPath(path)?.normalize('NFC')));
    const offsets = new Set(entries.map(({ offset }) => offset));
    const numbers = entries.flatMap((entry) => [entry.offset, entry.compressedSize, entry.size, entry.crc32]);
    const isValid = entries.length > 0 && !paths.has(undefined) && numbers.every(Number.isSafeInteger);
    return isValid && paths.size === entries.length && offsets.size === entries.length ? entries : undefined;
  } catch (error) {
    // JSON that is not a list of files throws a TypeError when its members are read.
    if (isFault(error) || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Whether an archive contains each file of a manifest, with its bytes. */
export function hasEntries(archive: Uint8Array, entries: readonly ManifestEntry[]): boolean {
  return entries.every(({ offset, compressedSize, size, method, crc32: expected }) => {
    const data = archive.subarray(offset, offset + compressedSize);
    const bytes = method === 'stored' ? data : inflate(data, size);
    return data.length === compressedSize && bytes?.length === size && crc32(bytes) === expected;
  });
}

/** Inflates data; `undefined` if it is damaged or larger than `size`. */
function inflate(data: Uint8Array, size: number): Uint8Array | undefined {
  try {
    return inflateRawSync(data, { maxOutputLength: Math.max(1, size) });
  } catch {
    return undefined;
  }
}
