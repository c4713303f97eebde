import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import { inflateSync } from 'fflate';
import type { Inspection } from '../inspection.ts';
import { readWithYauzl } from './other-reader.ts';

/** Whether another reader could read the archive, for a comparison. */
export type Compared = 'compared' | 'refused by the other reader';

/**
 * An archive without problems is served by offsets, sizes and methods of its manifest: each file must match its CRC-32,
 * inflated with another inflater than ours, and match the file that another reader extracts from the archive.
 */
export async function expectServedAsRead(bytes: Uint8Array, inspection: Inspection): Promise<Compared> {
  const { listing, files } = inspection;
  const contents = await readElsewhere(bytes);
  if (contents !== undefined) expect(contents.length, 'entries').to.equal(listing.entries.length);
  for (const { path, entry } of files) {
    const listed = listing.entries[entry];
    if (listed === undefined) throw new RangeError(`${path} is not an entry`);
    const packed = bytes.subarray(listed.dataOffset, listed.dataOffset + listed.compressedSize);
    const served = Buffer.from(listed.method === 8 ? inflateSync(packed) : packed);
    expect(served.length, path).to.equal(listed.size);
    expect(crc32(served), path).to.equal(listed.crc32);
    if (contents !== undefined) expect(contents[entry]?.equals(served), `${path} by yauzl`).to.equal(true);
  }
  return contents === undefined ? 'refused by the other reader' : 'compared';
}

/** yauzl refuses some valid archives: only what it reads from the others is compared. */
async function readElsewhere(bytes: Uint8Array): Promise<readonly Buffer[] | undefined> {
  try {
    return await readWithYauzl(bytes);
  } catch {
    return undefined;
  }
}
