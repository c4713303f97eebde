import type { ArchiveProblem, ArchiveRule, BadEncoding, HeaderField, ListedEntry } from '@pinfold/core';
import { normalizeNames } from '@pinfold/core/adapter';
import type { StagedFile } from './archive-source.ts';
import { type ByteSource, uint16, uint32, uint64 } from './byte-source.ts';
import type { EntryName } from './entry-name.ts';
import { type ExtraField, extraFields, statedSizes, ZIP64 } from './extra-fields.ts';

/** A header of the central directory, read from its own bytes (APPNOTE.TXT, section 4.3.12). */
export interface CentralHeader {
  /** Its offset, and that of the next header. */
  readonly at: number;
  readonly next: number;
  readonly host: number;
  readonly flags: number;
  readonly method: number;
  /** Time and date of MS-DOS, in one number. */
  readonly modified: number;
  readonly crc32: number;
  readonly compressedSize: number;
  readonly size: number;
  readonly disk: number;
  readonly externalAttributes: number;
  readonly localOffset: number;
  readonly rawName: Uint8Array;
  readonly fields: readonly ExtraField[];
  /** Whether the header and its Zip64 field agree on sizes, offset and disk. */
  readonly isConsistent: boolean;
}

/** Bytes of a header without its name, extra field and comment. */
export const CENTRAL_BYTES = 46;

const CENTRAL_SIGNATURE = 0x02014b50;

/** Bytes that contain most headers with name and extra field: a second read would double the time for a header. */
const HEADER_BYTES = 256;

/** Reads the header at a position; `undefined` if there is none that ends before `end`. */
export function readCentralHeader(file: ByteSource, at: number, end: number): CentralHeader | undefined {
  if (at + CENTRAL_BYTES > end) return undefined;
  let header = file.at(at, HEADER_BYTES);
  if (header.length < CENTRAL_BYTES || uint32(header, 0) !== CENTRAL_SIGNATURE) return undefined;
  const nameEnd = CENTRAL_BYTES + uint16(header, 28);
  const extraEnd = nameEnd + uint16(header, 30);
  const next = at + extraEnd + uint16(header, 32);
  if (next > end) return undefined;
  if (extraEnd > header.length) header = file.at(at, extraEnd);
  const fields = extraFields(header, nameEnd, extraEnd);
  return {
    at,
    next,
    host: header[5] ?? 0,
    flags: uint16(header, 8),
    method: uint16(header, 10),
    modified: uint32(header, 12),
    crc32: uint32(header, 16),
    externalAttributes: uint32(header, 38),
    rawName: new Uint8Array(header.subarray(CENTRAL_BYTES, nameEnd)),
    fields,
    ...sizes(header, fields),
  };
}

function sizes(
  header: Uint8Array,
  fields: readonly ExtraField[],
): Pick<CentralHeader, 'size' | 'compressedSize' | 'localOffset' | 'disk' | 'isConsistent'> {
  const fixed = {
    compressedSize: uint32(header, 20),
    size: uint32(header, 24),
    disk: uint16(header, 34),
    localOffset: uint32(header, 42),
  };
  if (fields.every(({ id }) => id !== ZIP64)) return { ...fixed, isConsistent: true };
  // Lists, since the header and its Zip64 field may have different values.
  const { size, compressedSize, localOffset, disk, readable } = statedSizes(fixed, fields);
  const agree = [size, compressedSize, localOffset, disk].every((values) => new Set(values).size === 1);
  return {
    size: size[0] ?? fixed.size,
    compressedSize: compressedSize[0] ?? fixed.compressedSize,
    localOffset: localOffset[0] ?? fixed.localOffset,
    disk: disk[0] ?? fixed.disk,
    isConsistent: readable && agree,
  };
}

/** A local header, and the fields that differ from the central directory (APPNOTE.TXT, section 4.3.7). */
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

const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_BYTES = 30;

/** Reads the local header of an entry and compares it field by field; `undefined` if there is none. */
export function readLocalHeader(file: StagedFile, central: CentralHeader): LocalHeader | undefined {
  let header = file.at(central.localOffset, HEADER_BYTES);
  if (header.length < LOCAL_BYTES || header.readUInt32LE(0) !== LOCAL_SIGNATURE) return undefined;
  const nameEnd = LOCAL_BYTES + header.readUInt16LE(26);
  const length = nameEnd + header.readUInt16LE(28);
  if (length > header.length) header = file.at(central.localOffset, length);
  if (header.length < length) return undefined;
  const fields = extraFields(header, nameEnd, length);
  const flags = header.readUInt16LE(6);
  const mismatches: HeaderField[] = [];
  if (flags !== central.flags) mismatches.push('flags');
  if (header.readUInt16LE(8) !== central.method) mismatches.push('method');
  if (header.readUInt32LE(10) !== central.modified) mismatches.push('time');
  const { rawName } = central;
  if (header.compare(rawName, 0, rawName.length, LOCAL_BYTES, nameEnd) !== 0) mismatches.push('name');
  mismatches.push(...sizeMismatches(header, fields, flags, central));
  return { dataOffset: central.localOffset + length, flags, fields, mismatches };
}

/** Compares sizes and CRC-32, which must be equal; with a descriptor, they may also be 0. */
function sizeMismatches(
  header: Buffer,
  fields: readonly ExtraField[],
  flags: number,
  central: CentralHeader,
): readonly HeaderField[] {
  const fixed = { compressedSize: header.readUInt32LE(18), size: header.readUInt32LE(22) };
  const isSame = fixed.compressedSize === central.compressedSize && fixed.size === central.size;
  // True for most entries.
  if (isSame && fields.length === 0 && header.readUInt32LE(14) === central.crc32) return [];
  const stated = statedSizes(fixed, fields);
  const hasDescriptor = (flags & DESCRIPTOR_FLAG) !== 0;
  const areRight = (values: readonly number[], expected: number): boolean =>
    values.every((value) => value === expected || (hasDescriptor && value === 0));
  const mismatches: HeaderField[] = [];
  // Info-ZIP writes a value for the encryption there; the entry is refused as encrypted anyway.
  const hasEncryptionValue = hasDescriptor && (flags & ENCRYPTED_FLAG) !== 0;
  if (!hasEncryptionValue && !areRight([header.readUInt32LE(14)], central.crc32)) mismatches.push('crc32');
  if (!stated.readable || !areRight(stated.compressedSize, central.compressedSize)) {
    mismatches.push('compressed_size');
  }
  if (!stated.readable || !areRight(stated.size, central.size)) mismatches.push('size');
  return mismatches;
}

const DESCRIPTOR_SIGNATURE = 0x08074b50;

/** A data descriptor's lengths: with 32-bit or 64-bit sizes, with or without a signature (APPNOTE.TXT, section 4.3.9). */
const DESCRIPTOR_LENGTHS: ReadonlySet<number> = new Set([12, 16, 20, 24]);

/** Whether a gap of this length between an entry's data and the next record can be its descriptor. */
export function isDescriptorLength(bytes: number): boolean {
  return DESCRIPTOR_LENGTHS.has(bytes);
}

/** Whether a data descriptor agrees with the directory. One of 16 or 24 bytes begins with the signature. */
export function descriptorAgrees(descriptor: Buffer, central: CentralHeader): boolean {
  const isSigned = descriptor.length % 8 === 0;
  if (isSigned && descriptor.readUInt32LE(0) !== DESCRIPTOR_SIGNATURE) return false;
  const fields = isSigned ? descriptor.subarray(4) : descriptor;
  const isWide = fields.length === 20;
  const size = (at: number): number => (isWide ? uint64(fields, 4 + 2 * at) : fields.readUInt32LE(4 + at));
  return (
    fields.readUInt32LE(0) === central.crc32 && size(0) === central.compressedSize && size(4) === central.size
  );
}

export interface NamedHeader {
  readonly header: CentralHeader;
  readonly name: string;
  readonly path: string;
  readonly badEncoding: BadEncoding | undefined;
}

/** Flag bits 0, 6 and 13: encrypted data, strong encryption, an encrypted directory. */
const ENCRYPTED_FLAGS = 0x2041;

/** The rules without which the offsets and sizes of an archive cannot be trusted. */
export const STRUCTURE_RULES: readonly ArchiveRule[] = [
  'not_a_zip',
  'truncated',
  'ambiguous_structure',
  'overlapping_entries',
  'too_many_files',
];

/** Adds names and paths to the headers of a directory, all at once: a path can depend on the other names. */
export function nameHeaders(
  headers: readonly CentralHeader[],
  names: readonly EntryName[],
): readonly NamedHeader[] {
  const paths = normalizeNames(headers.map(({ host }, index) => ({ name: names[index]?.name ?? '', host })));
  return headers.map((header, index) => {
    const { name = '', badEncoding } = names[index] ?? {};
    return { header, name, path: paths[index] ?? name, badEncoding };
  });
}

/** Converts an entry for the core's rules. Without its local header, `dataOffset` is unknown, and 0. */
export function toListedEntry({ header, name }: NamedHeader, local?: LocalHeader): ListedEntry {
  const { host, externalAttributes, flags, method, crc32, compressedSize, size } = header;
  const dataOffset = local?.dataOffset ?? 0;
  return { name, host, externalAttributes, flags, method, crc32, compressedSize, size, dataOffset };
}

export function entryProblems(
  { header, path, badEncoding }: Omit<NamedHeader, 'name'>,
  local?: LocalHeader,
): readonly ArchiveProblem[] {
  const problems: ArchiveProblem[] = [];
  if (badEncoding !== undefined) problems.push({ rule: 'bad_encoding', reason: badEncoding, path });
  if (!header.isConsistent) problems.push({ rule: 'ambiguous_structure', reason: 'entry_zip64', path });
  if (header.disk !== 0) problems.push({ rule: 'ambiguous_structure', reason: 'entry_in_other_part', path });
  // The core checks the flags of the directory; only those of the local header are checked here.
  if (local !== undefined && isEncrypted(local.flags) && !isEncrypted(header.flags)) {
    problems.push({ rule: 'encrypted', path });
  }
  return problems;
}

/** Whether the data of an entry can be inflated. */
export function isReadable({ flags, method }: Pick<ListedEntry, 'flags' | 'method'>): boolean {
  return (method === 0 || method === 8) && !isEncrypted(flags);
}

function isEncrypted(flags: number): boolean {
  return (flags & ENCRYPTED_FLAGS) !== 0;
}
