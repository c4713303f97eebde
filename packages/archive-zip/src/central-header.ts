import { type ByteSource, uint16, uint32 } from './byte-source.ts';
import { type ExtraField, extraFields, statedSizes, ZIP64 } from './extra-fields.ts';

/** A header of the central directory, read from its own bytes (APPNOTE.TXT, section 4.3.12). */
export interface CentralHeader {
  /** Its offset, and that of the next header. */
  readonly at: number;
  readonly next: number;
  readonly host: number;
  readonly flags: number;
  readonly method: number;
  /** Time and date as they stand, in one figure. */
  readonly modified: number;
  readonly crc32: number;
  readonly compressedSize: number;
  readonly size: number;
  readonly disk: number;
  readonly externalAttributes: number;
  readonly localOffset: number;
  readonly rawName: Uint8Array;
  readonly fields: readonly ExtraField[];
  /** Whether all that the header says of sizes, offset and disk is one and the same. */
  readonly consistent: boolean;
}

/** Bytes of a header without its name, extra field and comment. */
export const CENTRAL_BYTES = 46;

const SIGNATURE = 0x02014b50;

/** Reads the header at a position, or `undefined` when none stands there that ends before `end`. */
export function readCentralHeader(file: ByteSource, at: number, end: number): CentralHeader | undefined {
  if (at + CENTRAL_BYTES > end) return undefined;
  const lengths = file.at(at, CENTRAL_BYTES);
  if (lengths.length < CENTRAL_BYTES || uint32(lengths, 0) !== SIGNATURE) return undefined;
  const nameEnd = CENTRAL_BYTES + uint16(lengths, 28);
  const extraEnd = nameEnd + uint16(lengths, 30);
  const next = at + extraEnd + uint16(lengths, 32);
  if (next > end) return undefined;
  const header = file.at(at, extraEnd);
  const fields = extraFields(header.subarray(nameEnd, extraEnd));
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
): Pick<CentralHeader, 'size' | 'compressedSize' | 'localOffset' | 'disk' | 'consistent'> {
  const fixed = {
    compressedSize: uint32(header, 20),
    size: uint32(header, 24),
    disk: uint16(header, 34),
    localOffset: uint32(header, 42),
  };
  if (fields.every(({ id }) => id !== ZIP64)) return { ...fixed, consistent: true };
  const { size, compressedSize, localOffset, disk, readable } = statedSizes(fixed, fields);
  const agree = [size, compressedSize, localOffset, disk].every((values) => new Set(values).size === 1);
  return {
    size: size[0] ?? fixed.size,
    compressedSize: compressedSize[0] ?? fixed.compressedSize,
    localOffset: localOffset[0] ?? fixed.localOffset,
    disk: disk[0] ?? fixed.disk,
    consistent: readable && agree,
  };
}
