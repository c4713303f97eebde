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
  const listing = await inspector.list(archive);
  const listed = new Map(listing.entries.map((entry, n) => [entry.dataOffset, { n, ...entry }]));
  const tasks = entries.flatMap(({ path, offset, compressedSize, size, method, crc32 }) => {
    const entry = listed.get(offset);
    const isSame =
      entry?.compressedSize === compressedSize &&
      entry.size === size &&
      entry.method === (method === 'stored' ? 0 : 8) &&
      entry.crc32 === crc32;
    return isSame ? [{ entry: entry.n, name: path, limit: size }] : [];
  });
  if (tasks.length < entries.length) return false;
  const request = { archive, listing, tasks, expandedBytes: Number.POSITIVE_INFINITY };
  return (await inspector.prove(request)).problems.length === 0;
}

/** The files of a manifest; `undefined` if it is invalid, or names a path or an offset twice. */
export function manifestEntries(manifest: EncodedManifest): readonly ManifestEntry[] | undefined {
  try {
    const { entries } = decodeManifest(manifest);
    const paths = new Set(entries.map(({ path }) => entryPath(path)?.normalize('NFC')));
    const offsets = new Set(entries.map(({ offset }) => offset));
    const numbers = entries.flatMap(({ offset, compressedSize, size, crc32 }) => [
      offset,
      compressedSize,
      size,
      crc32,
    ]);
    const isValid = entries.length > 0 && !paths.has(undefined) && numbers.every(Number.isSafeInteger);
    return isValid && paths.size === entries.length && offsets.size === entries.length ? entries : undefined;
  } catch (error) {
    // JSON that is not a list of files throws a TypeError when its members are read.
    if (isFault(error) || error instanceof TypeError) return undefined;
    throw error;
  }
}
