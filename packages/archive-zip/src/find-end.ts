import type { ArchiveProblem } from '@pinfold/core';
import { type ByteSource, uint16, uint32 } from './byte-source.ts';
import { addsUp, END_BYTES, END_SIGNATURE, type EndRecord, readEndRecord } from './end-record.ts';

/** The end record to go by, and what is wrong about how the file ends. */
export interface FoundEnd {
  readonly end?: EndRecord;
  readonly problems: readonly ArchiveProblem[];
}

const P = 0x50;
const MAX_COMMENT_BYTES = 0xffff;
/** Bytes searched at once when the end record is not at the end. */
const PIECE = 1_048_576;
/** A file made of nothing but signatures must not cost more than any other. */
const MAX_TRIED = 64;
/** The possible beginnings of a ZIP: an entry, an end record alone, or the mark of a ZIP that was meant to be split. */
const BEGINNINGS = ['PK\x03\x04', 'PK\x05\x06', 'PK\x07\x08', 'PK00'];

const NOT_A_ZIP: ArchiveProblem = { rule: 'not_a_zip' };
const TRUNCATED: ArchiveProblem = { rule: 'truncated' };
const SEVERAL: ArchiveProblem = { rule: 'ambiguous_structure', reason: 'several_end_records' };
const TRAILING: ArchiveProblem = { rule: 'ambiguous_structure', reason: 'trailing_bytes' };

/** Finds the end record. Only one whose comment ends with the file, and holds no other, is without problems. */
export function findEnd(file: ByteSource): FoundEnd {
  const tailAt = Math.max(0, file.size - END_BYTES - MAX_COMMENT_BYTES);
  const found = signaturesIn(file, tailAt, file.size);
  const closing = found.filter((at) => commentEnd(file, at) === file.size);
  const first = closing[0];
  if (first === undefined) return unclosed(file, found);
  const records = closing.slice(0, MAX_TRIED).map((at) => readEndRecord(file, at));
  const end = records.find(addsUp) ?? (records[0] as EndRecord);
  const several = found.some((at) => at > first);
  const problems: ArchiveProblem[] = several ? [SEVERAL] : [];
  if (end.wrong !== undefined) problems.push({ rule: 'ambiguous_structure', reason: end.wrong });
  return { end, problems };
}

/** No end record ends with the file: it was cut, something was put behind it, or it never was a ZIP. */
function unclosed(file: ByteSource, found: readonly number[]): FoundEnd {
  const last = found.slice(-MAX_TRIED).reverse();
  for (const at of last.length > 0 ? last : signaturesBefore(file)) {
    const end = readEndRecord(file, at);
    if (addsUp(end)) return { end, problems: [commentEnd(file, at) > file.size ? TRUNCATED : TRAILING] };
  }
  return { problems: [beginsAsZip(file) ? TRUNCATED : NOT_A_ZIP] };
}

/** The offsets at which whole end records may begin, in ascending order. */
function signaturesIn(file: ByteSource, from: number, to: number): readonly number[] {
  const bytes = file.at(from, to - from);
  const found: number[] = [];
  for (let at = bytes.indexOf(P); at !== -1; at = bytes.indexOf(P, at + 1)) {
    if (uint32(bytes, at) === END_SIGNATURE && at + END_BYTES <= bytes.length) found.push(from + at);
  }
  return found;
}

/** The first places in the whole file where an end record may begin. */
function signaturesBefore(file: ByteSource): readonly number[] {
  const found: number[] = [];
  for (let from = 0; from < file.size && found.length < MAX_TRIED; from += PIECE) {
    found.push(...signaturesIn(file, from, Math.min(file.size, from + PIECE + END_BYTES - 1)));
  }
  return found.slice(0, MAX_TRIED);
}

function commentEnd(file: ByteSource, at: number): number {
  return at + END_BYTES + uint16(file.at(at + 20, 2), 0);
}

function beginsAsZip(file: ByteSource): boolean {
  const first = String.fromCharCode(...file.at(0, 4));
  return first.length >= 2 && BEGINNINGS.some((beginning) => beginning.startsWith(first));
}
