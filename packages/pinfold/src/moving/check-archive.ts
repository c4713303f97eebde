import { crc32, inflateRawSync } from 'node:zlib';
import type { ManifestEntry, Sha256 } from '@pinfold/core';
import type { MovingArchive } from './export-form.ts';

/** Whether an archive is what its record says: all of its bytes, and each file that its manifest names. */
export function isSound(
  archive: MovingArchive,
  named: { readonly sha256: Sha256; readonly entries: readonly ManifestEntry[] },
): boolean {
  if (named.sha256 !== '' && archive.sha256 !== named.sha256) return false;
  const bytes = Buffer.concat(archive.pieces);
  return named.entries.every((entry) => isEntrySound(bytes, entry));
}

function isEntrySound(archive: Uint8Array, entry: ManifestEntry): boolean {
  const { offset, compressedSize, size, method } = entry;
  const data = archive.subarray(offset, offset + compressedSize);
  if (data.length !== compressedSize) return false;
  const bytes = method === 'stored' ? data : inflated(data, size);
  return bytes?.length === size && crc32(bytes) === entry.crc32;
}

/** Data that inflates beyond the limit is dropped. */
function inflated(data: Uint8Array, size: number): Uint8Array | undefined {
  try {
    return inflateRawSync(data, { maxOutputLength: Math.max(1, size) });
  } catch {
    return undefined;
  }
}
