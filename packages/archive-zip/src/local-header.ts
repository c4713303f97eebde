import type { HeaderField } from '@pinfold/core';
import type { CentralHeader } from './central-header.ts';
import { type ExtraField, extraFields, statedSizes } from './extra-fields.ts';
import type { StagedFile } from './staged-file.ts';

/** A local header, and what in it is not what the central directory says (APPNOTE.TXT, section 4.3.7). */
export interface LocalHeader {
  readonly dataOffset: number;
  readonly flags: number;
  readonly fields: readonly ExtraField[];
  readonly mismatches: readonly HeaderField[];
}

/** Flag bit 0: the data are encrypted. */
const ENCRYPTED_FLAG = 0x0001;

/** Flag bit 3: CRC and sizes follow the data, in a descriptor. */
export const DESCRIPTOR_FLAG = 0x0008;

const SIGNATURE = 0x04034b50;
const LOCAL_BYTES = 30;

/** Reads the local header of an entry and compares it field by field; `undefined` when none is there. */
export function readLocalHeader(file: StagedFile, central: CentralHeader): LocalHeader | undefined {
  const fixed = file.at(central.localOffset, LOCAL_BYTES);
  if (fixed.length < LOCAL_BYTES || fixed.readUInt32LE(0) !== SIGNATURE) return undefined;
  const nameEnd = LOCAL_BYTES + fixed.readUInt16LE(26);
  const length = nameEnd + fixed.readUInt16LE(28);
  const header = file.at(central.localOffset, length);
  if (header.length < length) return undefined;
  const fields = extraFields(header.subarray(nameEnd, length));
  const flags = header.readUInt16LE(6);
  const mismatches: HeaderField[] = [];
  if (flags !== central.flags) mismatches.push('flags');
  if (header.readUInt16LE(8) !== central.method) mismatches.push('method');
  if (header.readUInt32LE(10) !== central.modified) mismatches.push('time');
  if (!header.subarray(LOCAL_BYTES, nameEnd).equals(central.rawName)) mismatches.push('name');
  mismatches.push(...sizeMismatches(header, fields, flags, central));
  return { dataOffset: central.localOffset + length, flags, fields, mismatches };
}

/** With a descriptor each figure may be 0 instead, on its own; without one it must be right. */
function sizeMismatches(
  header: Buffer,
  fields: readonly ExtraField[],
  flags: number,
  central: CentralHeader,
): readonly HeaderField[] {
  const fixed = { compressedSize: header.readUInt32LE(18), size: header.readUInt32LE(22) };
  const isSame = fixed.compressedSize === central.compressedSize && fixed.size === central.size;
  // As in most archives.
  if (isSame && fields.length === 0 && header.readUInt32LE(14) === central.crc32) return [];
  const stated = statedSizes(fixed, fields);
  const later = (flags & DESCRIPTOR_FLAG) !== 0;
  const right = (values: readonly number[], expected: number): boolean =>
    values.every((value) => value === expected || (later && value === 0));
  const mismatches: HeaderField[] = [];
  // Info-ZIP leaves there what it encrypts with; such an entry is refused for that.
  const isSecret = later && (flags & ENCRYPTED_FLAG) !== 0;
  if (!isSecret && !right([header.readUInt32LE(14)], central.crc32)) mismatches.push('crc32');
  if (!stated.readable || !right(stated.compressedSize, central.compressedSize)) {
    mismatches.push('compressed_size');
  }
  if (!stated.readable || !right(stated.size, central.size)) mismatches.push('size');
  return mismatches;
}
