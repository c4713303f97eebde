import { createHash } from 'node:crypto';
import type { ArchiveId } from '@pinfold/core';
import { parseArchiveId } from '@pinfold/core/adapter';
import { readRecordLine } from '@pinfold/core/internal';
import type { MovedRecord } from '@pinfold/core/moving';
import { CommandFailure } from '../command-line/failures.ts';

/** The form of an export. */
const FORM = { format: 'pinfold-export', version: 1 } as const;

/** The last file of an export, which is incomplete without it. */
export const MANIFEST = 'manifest.json';

export const RECORDS = 'records';
export const ARCHIVES = 'archives';

/** The names of files of records; no other file is ever opened. */
export const RECORDS_FILE: RegExp = /^records\/\d{6,}-[0-9a-f]{12}\.jsonl$/;

export interface RecordsFile {
  readonly file: string;
  readonly records: number;
  readonly bytes: number;
  readonly sha256: string;
}

export interface ExportManifest {
  readonly format: typeof FORM.format;
  readonly version: number;
  readonly records: readonly RecordsFile[];
  readonly archives: number;
  /** Archives of its records that were missing or altered already where it was made: it has none of them. */
  readonly broken: readonly ArchiveId[];
  /** Archives in its folder that its records do not name; a later export removes them. */
  readonly unnamed: readonly ArchiveId[];
}

export interface ExportEnd {
  readonly records: readonly RecordsFile[];
  /** The archives that belong to it, in order of id. */
  readonly archives: readonly ArchiveId[];
  readonly broken: readonly ArchiveId[];
  /** Archives of publications in service, which the source lacks. */
  readonly lost: readonly ArchiveId[];
}

/** The manifest's entry of the `n`th file of records. The name contains a part of the hash: two exports share no name. */
export function recordsFileOf(n: number, lines: Uint8Array): RecordsFile {
  const sha256 = createHash('sha256').update(lines).digest('hex');
  const file = `${RECORDS}/${String(n).padStart(6, '0')}-${sha256.slice(0, 12)}.jsonl`;
  return { file, records: lines.filter((byte) => byte === 0x0a).length, bytes: lines.length, sha256 };
}

/** Whether a file of records is the one of a manifest, whose name it need not have. */
export function isRecordedAs(
  recorded: Omit<RecordsFile, 'file'>,
  { records, bytes, sha256 }: RecordsFile,
): boolean {
  return recorded.sha256 === sha256 && recorded.bytes === bytes && recorded.records === records;
}

/** @throws CommandFailure when a line is no record, or has no end. */
export function recordsIn(lines: Uint8Array): readonly MovedRecord[] {
  const text = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength).toString('utf8');
  if (!text.endsWith('\n')) throw new CommandFailure('the last line of the records is not whole');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line, n) => {
      try {
        return readRecordLine(line);
      } catch (cause) {
        if (!(cause instanceof TypeError)) throw cause;
        const message = `line ${n + 1} of the records cannot be read: ${cause.message}`;
        throw new CommandFailure(message, { cause });
      }
    });
}

/** `unnamed` is left out if it is empty: it says something of earlier exports. */
export function manifestOf(
  { records, archives, broken }: Omit<ExportEnd, 'lost'>,
  unnamed: readonly ArchiveId[] = [],
): Buffer {
  const rest = unnamed.length === 0 ? {} : { unnamed };
  const manifest = { ...FORM, records, archives: archives.length, broken, ...rest };
  return Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`);
}

/** @throws CommandFailure for anything but a manifest, and for one of a newer release. */
export function readManifest(text: string): ExportManifest {
  const { format, version, records, archives, broken, unnamed = [] } = membersOf(text);
  if (format !== FORM.format) throw new CommandFailure('this is no export: its manifest says nothing of one');
  if (version !== FORM.version) {
    throw new CommandFailure('a newer release made this export: import it with that one');
  }
  const isWhole =
    Array.isArray(records) &&
    records.every(isRecordsFile) &&
    Number.isSafeInteger(archives) &&
    areArchiveIds(broken) &&
    areArchiveIds(unnamed);
  if (!isWhole) throw damaged();
  return { ...FORM, archives: archives as number, records, broken, unnamed };
}

function areArchiveIds(value: unknown): value is readonly ArchiveId[] {
  return (
    Array.isArray(value) && value.every((id) => typeof id === 'string' && parseArchiveId(id) !== undefined)
  );
}

function damaged(cause?: unknown): CommandFailure {
  return new CommandFailure('the manifest of the export is damaged', { cause });
}

function membersOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch (cause) {
    throw damaged(cause);
  }
  throw damaged();
}

function isRecordsFile(value: unknown): value is RecordsFile {
  if (typeof value !== 'object' || value === null) return false;
  const { file, records, bytes, sha256 } = value as Partial<Record<keyof RecordsFile, unknown>>;
  const isNamed = typeof file === 'string' && RECORDS_FILE.test(file);
  return isNamed && [records, bytes].every(Number.isSafeInteger) && typeof sha256 === 'string';
}
