import { crc32, inflateRawSync } from 'node:zlib';
import { type ArchiveInspector, type EncodedManifest, isFault, type ManifestEntry } from '@pinfold/core';
import { decodeManifest, entryPath } from '@pinfold/core/internal';
import type { MovingArchive } from './archives.ts';

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
  const listed = new Map((await inspector.list(archive)).entries.map((entry) => [entry.dataOffset, entry]));
  const areListed = entries.every(({ offset, compressedSize, size, method, crc32: sum }) => {
    const entry = listed.get(offset);
    return (
      entry?.compressedSize === compressedSize &&
      entry.size === size &&
      entry.method === (method === 'stored' ? 0 : 8) &&
      entry.crc32 === sum
    );
  });
  return areListed && hasEntries(archive.bytes, entries);
}

/** The files of a manifest; `undefined` if it is invalid, or names a path or an offset twice. */
export function manifestEntries(manifest: EncodedManifest): readonly ManifestEntry[] | undefined {
  try {
    const { entries } = decodeManifest(manifest);
    const paths = new Set(entries.map(({ path }) => entryPath(path)?.normalize('NFC')));
    const offsets = new Set(entries.map(({ offset }) => offset));
    const numbers = entries.flatMap(({ offset, compressedSize, size, crc32: sum }) => [
      offset,
      compressedSize,
      size,
      sum,
    ]);
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
