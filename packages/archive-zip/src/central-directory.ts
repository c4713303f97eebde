import type { Ambiguity, ArchiveProblem } from '@pinfold/core';
import { type ByteSource, uint16, uint32, uint64 } from './byte-source.ts';
import { CENTRAL_BYTES, type CentralHeader, readCentralHeader } from './entry-headers.ts';
import type { ProofControl } from './jobs.ts';

/** The central directory; without headers if it cannot be read to its end. */
interface Directory {
  readonly headers: readonly CentralHeader[];
  readonly begin: number;
  readonly problems: readonly ArchiveProblem[];
}

/** Reads the directory, even if its end records contradict each other. */
export function readDirectory(
  file: ByteSource,
  end: EndRecord,
  maxEntries: number,
  control?: Pick<ProofControl, 'throwIfStopped'>,
): Directory {
  if (end.count > maxEntries) return unreadable(end, tooMany(end.count, maxEntries));
  const begin = beginOf(file, end);
  const headers: CentralHeader[] = [];
  let at = begin;
  while (at < end.directoryEnd) {
    if (headers.length % 1_024 === 0) control?.throwIfStopped();
    const header = readCentralHeader(file, at, end.directoryEnd);
    if (header === undefined || headers.length === maxEntries) break;
    headers.push(header);
    at = header.next;
  }
  if (at !== end.directoryEnd) {
    if (headers.length === maxEntries) return unreadable(end, tooMany(headers.length + 1, maxEntries));
    return unreadable(end, { rule: 'ambiguous_structure', reason: 'directory_unreadable' });
  }
  const isCounted = end.contradiction !== undefined || headers.length === end.count;
  return {
    headers,
    begin,
    problems: isCounted ? [] : [{ rule: 'ambiguous_structure', reason: 'entry_counts' }],
  };
}

function unreadable(end: EndRecord, problem: ArchiveProblem): Directory {
  return { headers: [], begin: end.directoryEnd, problems: [problem] };
}

function tooMany(actual: number, limit: number): ArchiveProblem {
  return { rule: 'too_many_files', limit, actual };
}

/** Finds the directory by its offset, or by its size if offsets do not count bytes before the archive. */
function beginOf(file: ByteSource, end: EndRecord): number {
  if (end.directoryOffset === end.directoryEnd) return end.directoryOffset;
  if (readCentralHeader(file, end.directoryOffset, end.directoryEnd) !== undefined)
    return end.directoryOffset;
  return Math.max(0, end.directoryEnd - end.directorySize);
}

/** The records after the central directory (APPNOTE.TXT, sections 4.3.14 to 4.3.16). */
export interface EndRecord extends DirectoryFields {
  /** The offset of the end record. */
  readonly at: number;
  /** The offset at which the directory must end: that of the first of these records. */
  readonly directoryEnd: number;
  readonly contradiction: Ambiguity | undefined;
}

/** Bytes of an end record without its comment. */
export const END_BYTES = 22;
/** `PK\x05\x06` */
export const END_SIGNATURE = 0x0605_4b50;

const LOCATOR_SIGNATURE = 0x07064b50;
const LOCATOR_BYTES = 20;
const ZIP64_SIGNATURE = 0x06064b50;
const ZIP64_BYTES = 56;
const OVERFLOW_16 = 0xffff;
const OVERFLOW_32 = 0xffff_ffff;

interface DirectoryFields {
  readonly disk: number;
  readonly directoryDisk: number;
  readonly countOnDisk: number;
  /** Entries in the directory. */
  readonly count: number;
  readonly directorySize: number;
  readonly directoryOffset: number;
}

/** Reads the end record that begins at a position, with the Zip64 records before it. */
function readEndRecord(file: ByteSource, at: number): EndRecord {
  const record = file.at(at, END_BYTES);
  const plain: DirectoryFields = {
    disk: uint16(record, 4),
    directoryDisk: uint16(record, 6),
    countOnDisk: uint16(record, 8),
    count: uint16(record, 10),
    directorySize: uint32(record, 12),
    directoryOffset: uint32(record, 16),
  };
  const locator = at < LOCATOR_BYTES ? undefined : file.at(at - LOCATOR_BYTES, LOCATOR_BYTES);
  if (locator === undefined || uint32(locator, 0) !== LOCATOR_SIGNATURE) {
    return { at, directoryEnd: at, ...plain, contradiction: directoryProblem(plain, at) };
  }
  return { at, ...zip64Record(file, at - LOCATOR_BYTES, locator, plain) };
}

function directoryProblem(fields: DirectoryFields, directoryEnd: number): Ambiguity | undefined {
  if (fields.disk !== 0 || fields.directoryDisk !== 0) return 'several_parts';
  if (fields.countOnDisk !== fields.count) return 'entry_counts';
  if (fields.directoryOffset + fields.directorySize !== directoryEnd) return 'directory_misplaced';
  return fields.count * CENTRAL_BYTES > fields.directorySize ? 'directory_too_small' : undefined;
}

function zip64Record(
  file: ByteSource,
  locatorAt: number,
  locator: Uint8Array,
  plain: DirectoryFields,
): Omit<EndRecord, 'at'> {
  const recordAt = uint64(locator, 8);
  const record = recordAt + ZIP64_BYTES <= locatorAt ? file.at(recordAt, ZIP64_BYTES) : undefined;
  if (record === undefined || record.length < ZIP64_BYTES || uint32(record, 0) !== ZIP64_SIGNATURE) {
    return { directoryEnd: locatorAt, ...plain, contradiction: 'zip64_misplaced' };
  }
  const zip64: DirectoryFields = {
    disk: uint32(record, 16),
    directoryDisk: uint32(record, 20),
    countOnDisk: uint64(record, 24),
    count: uint64(record, 32),
    directorySize: uint64(record, 40),
    directoryOffset: uint64(record, 48),
  };
  const contradiction = (): Ambiguity | undefined => {
    if (uint32(locator, 4) !== 0 || uint32(locator, 16) > 1) return 'several_parts';
    if (recordAt + 12 + uint64(record, 4) !== locatorAt) return 'zip64_misplaced';
    return agreesWithZip64(plain, zip64) ? directoryProblem(zip64, recordAt) : 'zip64_disagrees';
  };
  return { directoryEnd: recordAt, ...zip64, contradiction: contradiction() };
}

/** Whether each value of the end record equals the Zip64 one, or marks one that does not fit. */
function agreesWithZip64(plain: DirectoryFields, zip64: DirectoryFields): boolean {
  const fits = (field: keyof DirectoryFields, overflow: number): boolean =>
    plain[field] === zip64[field] || plain[field] === overflow;
  return (
    fits('disk', OVERFLOW_16) &&
    fits('directoryDisk', OVERFLOW_16) &&
    fits('countOnDisk', OVERFLOW_16) &&
    fits('count', OVERFLOW_16) &&
    fits('directorySize', OVERFLOW_32) &&
    fits('directoryOffset', OVERFLOW_32)
  );
}

/** The end record to use, and the problems of the end of the file. */
interface FoundEnd {
  readonly end?: EndRecord;
  readonly problems: readonly ArchiveProblem[];
}

const SIGNATURE_START = 0x50;
const MAX_COMMENT_BYTES = 0xffff;
/** Bytes searched at once when the end record is not at the end. */
const SEARCHED_AT_ONCE_BYTES = 1_048_576;
/** The maximum number of possible end records to read, which bounds the work for a file full of signatures. */
const MAX_CANDIDATES = 64;
/** The possible beginnings of a ZIP: an entry, a single end record, or the marker of a split ZIP with only one part. */
const BEGINNINGS = ['PK\x03\x04', 'PK\x05\x06', 'PK\x07\x08', 'PK00'];

const NOT_A_ZIP: ArchiveProblem = { rule: 'not_a_zip' };
const TRUNCATED: ArchiveProblem = { rule: 'truncated' };
const SEVERAL_END_RECORDS: ArchiveProblem = { rule: 'ambiguous_structure', reason: 'several_end_records' };
const TRAILING_BYTES: ArchiveProblem = { rule: 'ambiguous_structure', reason: 'trailing_bytes' };

/** Finds the end record. It has no problems only if its comment ends with the file, and contains no other end record. */
export function findEndRecord(file: ByteSource): FoundEnd {
  const tailAt = Math.max(0, file.size - END_BYTES - MAX_COMMENT_BYTES);
  const found = signaturesIn(file, tailAt, file.size);
  const atFileEnd = found.filter((at) => commentEnd(file, at) === file.size);
  const first = atFileEnd[0];
  if (first === undefined) return findEndRecordWithin(file, found);
  const records = atFileEnd.slice(0, MAX_CANDIDATES).map((at) => readEndRecord(file, at));
  const end = records.find(({ contradiction }) => contradiction === undefined) ?? (records[0] as EndRecord);
  const several = found.some((at) => at > first);
  const problems: ArchiveProblem[] = several ? [SEVERAL_END_RECORDS] : [];
  if (end.contradiction !== undefined)
    problems.push({ rule: 'ambiguous_structure', reason: end.contradiction });
  return { end, problems };
}

/** Handles a file that does not end with an end record: it was truncated, has trailing bytes, or is not a ZIP. */
function findEndRecordWithin(file: ByteSource, found: readonly number[]): FoundEnd {
  const last = found.slice(-MAX_CANDIDATES).reverse();
  for (const at of last.length > 0 ? last : firstSignatures(file)) {
    const end = readEndRecord(file, at);
    if (end.contradiction === undefined)
      return { end, problems: [commentEnd(file, at) > file.size ? TRUNCATED : TRAILING_BYTES] };
  }
  return { problems: [beginsAsZip(file) ? TRUNCATED : NOT_A_ZIP] };
}

/** The offsets at which whole end records may begin, in ascending order. */
function signaturesIn(file: ByteSource, from: number, to: number): readonly number[] {
  const bytes = file.at(from, to - from);
  const found: number[] = [];
  for (let at = bytes.indexOf(SIGNATURE_START); at !== -1; at = bytes.indexOf(SIGNATURE_START, at + 1)) {
    if (uint32(bytes, at) === END_SIGNATURE && at + END_BYTES <= bytes.length) found.push(from + at);
  }
  return found;
}

/** The first offsets in the whole file at which an end record may begin. */
function firstSignatures(file: ByteSource): readonly number[] {
  const found: number[] = [];
  for (let from = 0; from < file.size && found.length < MAX_CANDIDATES; from += SEARCHED_AT_ONCE_BYTES) {
    const to = Math.min(file.size, from + SEARCHED_AT_ONCE_BYTES + END_BYTES - 1);
    found.push(...signaturesIn(file, from, to));
  }
  return found.slice(0, MAX_CANDIDATES);
}

function commentEnd(file: ByteSource, at: number): number {
  return at + END_BYTES + uint16(file.at(at + 20, 2), 0);
}

function beginsAsZip(file: ByteSource): boolean {
  const first = String.fromCharCode(...file.at(0, 4));
  return first.length >= 2 && BEGINNINGS.some((beginning) => beginning.startsWith(first));
}
