import { Fault, type ManifestEntry } from '@pinfold/core';

/**
 * Compares what was read of an expanded entry with what was proved of it.
 *
 * @throws Fault `store_corrupt` when storage gave other bytes.
 */
export function checkProved(
  entry: Pick<ManifestEntry, 'size' | 'crc32'>,
  length: number,
  checksum: number,
): void {
  if (length !== entry.size || checksum !== entry.crc32) {
    throw new Fault('store_corrupt', 'an archive is not what was proved');
  }
}
