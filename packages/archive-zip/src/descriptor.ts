import { uint64 } from './byte-source.ts';
import type { CentralHeader } from './central-header.ts';

const SIGNATURE = 0x08074b50;

/** A data descriptor's lengths: with 32-bit or 64-bit sizes, with or without a signature (APPNOTE.TXT, section 4.3.9). */
const LENGTHS: ReadonlySet<number> = new Set([12, 16, 20, 24]);

/** Whether a gap of this length between an entry's data and the next record can be its descriptor. */
export function isDescriptorLength(bytes: number): boolean {
  return LENGTHS.has(bytes);
}

/** Whether a descriptor agrees with the directory. It ends where the next record begins. */
export function descriptorAgrees(descriptor: Buffer, central: CentralHeader): boolean {
  const signed = descriptor.length % 8 === 0;
  if (signed && descriptor.readUInt32LE(0) !== SIGNATURE) return false;
  const fields = signed ? descriptor.subarray(4) : descriptor;
  const wide = fields.length === 20;
  const size = (at: number): number => (wide ? uint64(fields, 4 + 2 * at) : fields.readUInt32LE(4 + at));
  return (
    fields.readUInt32LE(0) === central.crc32 && size(0) === central.compressedSize && size(4) === central.size
  );
}
