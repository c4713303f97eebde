import { type ExtraField, extraFields, statedFigures } from './extra-fields.ts';
import type { StagedFile } from './staged-file.ts';

/** A header of the central directory, read from its own bytes (APPNOTE.TXT, section 4.3.12). */
export interface CentralHeader {
  /** Where it begins, and where the next one does. */
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
  readonly rawName: Buffer;
  readonly fields: readonly ExtraField[];
  /** Whether all that the header says of sizes, offset and disk is one and the same. */
  readonly consistent: boolean;
}

/** Bytes of a header without its name, extra field and comment. */
export const CENTRAL_BYTES = 46;

const SIGNATURE = 0x02014b50;

/** Reads the header at a position, or `undefined` when none stands there that ends before `end`. */
export function readCentralHeader(file: StagedFile, at: number, end: number): CentralHeader | undefined {
  if (at + CENTRAL_BYTES > end) return undefined;
  const lengths = file.at(at, CENTRAL_BYTES);
  if (lengths.length < CENTRAL_BYTES || lengths.readUInt32LE(0) !== SIGNATURE) return undefined;
  const nameEnd = CENTRAL_BYTES + lengths.readUInt16LE(28);
  const extraEnd = nameEnd + lengths.readUInt16LE(30);
  const next = at + extraEnd + lengths.readUInt16LE(32);
  if (next > end) return undefined;
  const header = file.at(at, extraEnd);
  const fields = extraFields(Buffer.from(header.subarray(nameEnd, extraEnd)));
  return {
    at,
    next,
    host: header.readUInt8(5),
    flags: header.readUInt16LE(8),
    method: header.readUInt16LE(10),
    modified: header.readUInt32LE(12),
    crc32: header.readUInt32LE(16),
    externalAttributes: header.readUInt32LE(38),
    rawName: Buffer.from(header.subarray(CENTRAL_BYTES, nameEnd)),
    fields,
    ...figures(header, fields),
  };
}

function figures(
  header: Buffer,
  fields: readonly ExtraField[],
): Pick<CentralHeader, 'size' | 'compressedSize' | 'localOffset' | 'disk' | 'consistent'> {
  const fixed = {
    compressedSize: header.readUInt32LE(20),
    size: header.readUInt32LE(24),
    disk: header.readUInt16LE(34),
    localOffset: header.readUInt32LE(42),
  };
  const { size, compressedSize, localOffset, disk, readable } = statedFigures(fixed, fields);
  const agree = [size, compressedSize, localOffset, disk].every((values) => new Set(values).size === 1);
  return {
    size: size[0] ?? fixed.size,
    compressedSize: compressedSize[0] ?? fixed.compressedSize,
    localOffset: localOffset[0] ?? fixed.localOffset,
    disk: disk[0] ?? fixed.disk,
    consistent: readable && agree,
  };
}
