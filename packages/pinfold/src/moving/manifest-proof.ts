import { crc32, inflateRawSync } from 'node:zlib';
import {
  type ArchiveInspector,
  type EncodedManifest,
  isFault,
  type ManifestEntry,
  type StagedArchive,
} from '@pinfold/core';
import { decodeManifest, entryPath } from '@pinfold/core/internal';
import type { MovingArchive } from './archives.ts';

/**
 * Whether a manifest names files of its archive alone: each is an entry of the ZIP, with its sizes, method, CRC-32 and
 * bytes. Whoever wrote an export could otherwise show bytes that no publication proved, such as the ZIP itself.
 */
export async function provesArchive(
  manifest: EncodedManifest,
  archive: MovingArchive,
  staged: StagedArchive,
  inspector: Pick<ArchiveInspector, 'list'>,
): Promise<boolean> {
  const entries = manifestEntries(manifest);
  if (entries === undefined) return false;
  const { entries: listed } = await inspector.list(staged);
  const placed = new Set(
    listed.map(({ dataOffset, method, compressedSize, size, crc32: sum }) =>
      [dataOffset, method, compressedSize, size, sum].join(),
    ),
  );
  const isListed = entries.every(({ offset, method, compressedSize, size, crc32: sum }) =>
    placed.has([offset, method === 'stored' ? 0 : 8, compressedSize, size, sum].join()),
  );
  return isListed && hasEntries(archive.pieces, entries);
}

/** The files of a manifest; `undefined` if it is none, or names a path or a place twice. */
export function manifestEntries(manifest: EncodedManifest): readonly ManifestEntry[] | undefined {
  try {
    const { entries } = decodeManifest(manifest);
    const paths = new Set(entries.map(({ path }) => entryPath(path)?.normalize('NFC')));
    const places = new Set(entries.map(({ offset }) => offset));
    const isWhole = entries.length > 0 && !paths.has(undefined);
    return isWhole && paths.size === entries.length && places.size === entries.length ? entries : undefined;
  } catch (error) {
    // What is JSON, and no list of files, fails where its members are read.
    if (isFault(error) || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Whether an archive has each file of a manifest, with its bytes. */
export function hasEntries(pieces: readonly Uint8Array[], entries: readonly ManifestEntry[]): boolean {
  const archive = Buffer.concat(pieces);
  return entries.every(({ offset, compressedSize, size, method, crc32: expected }) => {
    const data = archive.subarray(offset, offset + compressedSize);
    const bytes = method === 'stored' ? data : inflated(data, size);
    return data.length === compressedSize && bytes?.length === size && crc32(bytes) === expected;
  });
}

/** Data that inflates beyond the limit is dropped. */
function inflated(data: Uint8Array, size: number): Uint8Array | undefined {
  try {
    return inflateRawSync(data, { maxOutputLength: Math.max(1, size) });
  } catch {
    return undefined;
  }
}
