import { createHash } from 'node:crypto';
import type { ArchiveId, RoleId } from '@pinfold/core';
import { parseArchiveId } from '@pinfold/core/adapter';
import { readRecordLine, recordLine } from '@pinfold/core/internal';
import type { MovedRecord } from '@pinfold/core/moving';
import { CommandFailure } from '../command-line/failures.ts';
import type { Walked, Walking } from './walk.ts';

const FORM = { format: 'pinfold-export', version: 1 } as const;

/** The last file of an export, which is incomplete without it. */
export const MANIFEST = 'manifest.json';
export const RECORDS = 'records';
export const ARCHIVES = 'archives';

/** The names of files of records; no other file is ever opened. */
export const RECORDS_FILE: RegExp = /^records\/\d{6,}-[0-9a-f]{12}\.jsonl$/;

/** The most bytes of a manifest or of a file of records, which is in memory as a whole. Ours end after 4 MiB. */
const MAX_FILE_BYTES = 134_217_728;

/** From this length on a file of records is ended: one is held in memory as a whole. */
const FULL = 4_194_304;

export interface RecordsFile {
  readonly file: string;
  readonly records: number;
  readonly bytes: number;
  readonly sha256: string;
}

export interface ExportManifest {
  readonly records: readonly RecordsFile[];
  /** Archives of its records that were missing or altered already where it was made: it has none of them. */
  readonly broken: readonly ArchiveId[];
  /** Archives in its folder that its records do not name; a later export removes them. */
  readonly unnamed: readonly ArchiveId[];
}

/** The manifest's entry of the `n`th file of records. The name contains a part of the hash: two exports share no name. */
export function recordsFileOf(n: number, lines: Uint8Array): RecordsFile {
  const sha256 = createHash('sha256').update(lines).digest('hex');
  const file = `${RECORDS}/${String(n).padStart(6, '0')}-${sha256.slice(0, 12)}.jsonl`;
  return { file, records: lines.filter((byte) => byte === 0x0a).length, bytes: lines.length, sha256 };
}

/** Writes records to files. */
export class RecordsWriter {
  readonly files: RecordsFile[] = [];
  readonly #write: (name: string, lines: Uint8Array) => Promise<void>;
  #lines: string[] = [];
  #length = 0;

  constructor(write: (name: string, lines: Uint8Array) => Promise<void>) {
    this.#write = write;
  }

  async add(records: readonly MovedRecord[]): Promise<void> {
    for (const record of records) {
      const line = recordLine(record);
      this.#lines.push(line);
      this.#length += line.length;
      if (this.#length >= FULL) await this.flush();
    }
  }

  async flush(): Promise<void> {
    if (this.#length === 0) return;
    const lines = Buffer.from(`${this.#lines.join('\n')}\n`);
    [this.#lines, this.#length] = [[], 0];
    const file = recordsFileOf(this.files.length + 1, lines);
    this.files.push(file);
    await this.#write(file.file, lines);
  }
}

/** Whether a file of records is the one of a manifest, whose name it need not have. */
export function isRecordedAs(recorded: RecordsFile, file: RecordsFile | undefined): boolean {
  const { records, bytes, sha256 } = recorded;
  return file?.sha256 === sha256 && file.bytes === bytes && file.records === records;
}

/**
 * Reads the files of records of an export, in their order.
 *
 * @param failed takes a record that does not fit the others.
 * @returns a function that throws CommandFailure when a line is no record, or has no end.
 */
export function recordsReader(
  failed: Walking['failed'],
): (name: string, bytes: Buffer) => readonly MovedRecord[] {
  const publications = new Set<RoleId>();
  return (name, bytes) => {
    const text = bytes.toString('utf8');
    if (!text.endsWith('\n'))
      throw new CommandFailure(`${name}: the last line of the records is not whole`, 'unreadable');
    const lines = text.slice(0, -1).split('\n');
    const records = lines.map((line, n) => recordOf(line, `${name}: line ${n + 1}`));
    for (const { kind, value } of records) {
      if (kind === 'publication') publications.add(value.id);
      if (kind !== 'name' || publications.has(value.role)) continue;
      // In a database it would be a fault in words of its own.
      const message = `the name ${value.name} shows ${value.role}, a publication that the export does not have`;
      failed(new CommandFailure(message, 'unreadable'));
    }
    return records;
  };
}

function recordOf(line: string, place: string): MovedRecord {
  try {
    return readRecordLine(line);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new CommandFailure(`${place} cannot be read: ${cause.message}`, { cause, code: 'unreadable' });
  }
}

/** @throws CommandFailure for more bytes than a manifest or a file of records has. */
export function refuseTooLarge(name: string, bytes: number): void {
  if (bytes > MAX_FILE_BYTES)
    throw new CommandFailure(`this is no export: ${name} is over 128 MiB`, 'unreadable');
}

/** `unnamed` is left out if it is empty: it says something of earlier exports. */
export function manifestOf(
  records: readonly RecordsFile[],
  { archives, broken }: Walked,
  unnamed: readonly ArchiveId[] = [],
): Buffer {
  const rest = unnamed.length === 0 ? {} : { unnamed };
  const manifest = { ...FORM, records, archives: archives.length, broken, ...rest };
  return Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`);
}

/** @throws CommandFailure for anything but a manifest, and for one of a newer release. */
export function readManifest(bytes: Buffer): ExportManifest {
  const { format, version, records, archives, broken, unnamed = [] } = membersOf(bytes);
  if (format !== FORM.format)
    throw new CommandFailure('this is no export: its manifest says nothing of one', 'unreadable');
  if (version !== FORM.version)
    throw new CommandFailure('a newer release made this export: import it with that one', 'unreadable');
  const areLists = [records, broken, unnamed].every(Array.isArray) && Number.isSafeInteger(archives);
  if (areLists && records.every(isRecordsFile) && [...broken, ...unnamed].every(isArchiveId))
    return { records, broken, unnamed };
  throw new CommandFailure('the manifest of the export is damaged', 'unreadable');
}

function membersOf(bytes: Buffer): ReturnType<typeof JSON.parse> {
  try {
    return Object(JSON.parse(bytes.toString('utf8')));
  } catch (cause) {
    throw new CommandFailure('the manifest of the export is damaged', { cause, code: 'unreadable' });
  }
}

function isArchiveId(id: unknown): boolean {
  return typeof id === 'string' && parseArchiveId(id) !== undefined;
}

function isRecordsFile(value: unknown): boolean {
  const { file, records, bytes, sha256 } = Object(value);
  const isNamed = typeof file === 'string' && RECORDS_FILE.test(file);
  return isNamed && [records, bytes].every(Number.isSafeInteger) && typeof sha256 === 'string';
}
