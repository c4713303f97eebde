import type { ManifestEntry } from '@pinfold/core';

/** The header of a gzip member without name or time (RFC 1952, section 2.3). */
export const GZIP_HEADER: Uint8Array = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);

const TRAILER_LENGTH = 8;

export function gzipLength(entry: Pick<ManifestEntry, 'compressedSize'>): number {
  return GZIP_HEADER.length + entry.compressedSize + TRAILER_LENGTH;
}

/** CRC-32 and size of the expanded bytes, as a gzip member ends with them. */
export function gzipTrailer(entry: Pick<ManifestEntry, 'crc32' | 'size'>): Uint8Array {
  const trailer = new Uint8Array(TRAILER_LENGTH);
  const view = new DataView(trailer.buffer);
  view.setUint32(0, entry.crc32, true);
  view.setUint32(4, entry.size, true);
  return trailer;
}

/** Wraps an entry's untouched deflate stream into a gzip member. */
export function gzipMember(entry: Pick<ManifestEntry, 'crc32' | 'size'>, deflated: Uint8Array): Buffer {
  return Buffer.concat([GZIP_HEADER, deflated, gzipTrailer(entry)]);
}
