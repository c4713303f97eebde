import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ArchiveId, RoleId } from '@pinfold/core';
import { parseArchiveId } from '@pinfold/core/adapter';
import { readRecordLine, recordLine } from '@pinfold/core/internal';
import type { MovedRecord } from '@pinfold/core/moving';
import { SystemClock } from '@pinfold/platform-node';
import { FsArchiveStorage } from '@pinfold/storage-fs';
import { CommandFailure } from '../command-line/failures.ts';
import type { Walk } from './walk.ts';

const FORM = { format: 'pinfold-export', version: 1 } as const;

/** The last file of an export; without it, the export is incomplete. */
export const MANIFEST = 'manifest.json';
export const RECORDS = 'records';
export const ARCHIVES = 'archives';

/** The folder for files that are being written; it is not a part of the export. */
export const UNFINISHED = 'incoming';

/** The allowed names of record files; an import opens no others. */
export const RECORDS_FILE: RegExp = /^records\/\d{6,}-[0-9a-f]{12}\.jsonl$/;

/** The path of an archive in an export, and in its folder of archives. */
export function archivePath(id: ArchiveId): string {
  return `${ARCHIVES}/${id.slice(0, 4)}/${id.slice(4, 7)}/${id}`;
}

/** The archives of an export in a folder. */
export function openArchives(folder: string): FsArchiveStorage {
  const staging = { folder: join(folder, UNFINISHED) };
  return new FsArchiveStorage({ folder: join(folder, ARCHIVES), staging, clock: new SystemClock() });
}

/** The maximum bytes of a manifest or record file to read into memory. Exports begin a new record file after 4 MiB. */
const MAX_FILE_BYTES = 134_217_728;

/** The length after which a new record file begins, because each is held in memory as a whole. */
const MAX_LINES_LENGTH = 4_194_304;

export interface RecordsFile {
  readonly file: string;
  readonly records: number;
  readonly bytes: number;
  readonly sha256: string;
}

export interface ExportManifest {
  readonly records: readonly RecordsFile[];
  /** Archives that were already missing or altered at the source; the export does not contain them. */
  readonly broken: readonly ArchiveId[];
  /** Archives in the export's folder that its records do not name; a later export removes them. */
  readonly unnamed: readonly ArchiveId[];
}

/**
 * The manifest's entry for the `n`th record file. The file name contains a part of the hash, so that two exports
 * share none.
 */
export function describeRecordsFile(n: number, lines: Uint8Array): RecordsFile {
  const sha256 = createHash('sha256').update(lines).digest('hex');
  const file = `${RECORDS}/${String(n).padStart(6, '0')}-${sha256.slice(0, 12)}.jsonl`;
  return { file, records: lines.filter((byte) => byte === 0x0a).length, bytes: lines.length, sha256 };
}

/** Writes records to files of limited length. */
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
      if (this.#length >= MAX_LINES_LENGTH) await this.flush();
    }
  }

  async flush(): Promise<void> {
    if (this.#length === 0) return;
    const lines = Buffer.from(`${this.#lines.join('\n')}\n`);
    [this.#lines, this.#length] = [[], 0];
    const file = describeRecordsFile(this.files.length + 1, lines);
    this.files.push(file);
    await this.#write(file.file, lines);
  }
}

/**
 * Creates a function that parses the record files of an export, in order. It throws CommandFailure for a line that is
 * not a record, or an incomplete last line.
 *
 * @param walk receives records that contradict others.
 */
export function createRecordsReader(walk: Walk): (name: string, bytes: Buffer) => readonly MovedRecord[] {
  const publications = new Set<RoleId>();
  return (name, bytes) => {
    const text = bytes.toString('utf8');
    if (!text.endsWith('\n'))
      throw new CommandFailure(`${name}: the last line of the records is incomplete`, 'unreadable');
    const lines = text.slice(0, -1).split('\n');
    const records = lines.map((line, n) => parseRecord(line, `${name}: line ${n + 1}`));
    for (const { kind, value } of records) {
      if (kind === 'publication') publications.add(value.id);
      if (kind !== 'name' || publications.has(value.role)) continue;
      // The database would throw a fault with a less helpful message.
      const message = `the name ${value.name} shows ${value.role}, a publication that the export does not have`;
      walk.onFailure(new CommandFailure(message, 'unreadable'));
    }
    return records;
  };
}

function parseRecord(line: string, place: string): MovedRecord {
  try {
    return readRecordLine(line);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new CommandFailure(`${place} cannot be read: ${cause.message}`, { cause, code: 'unreadable' });
  }
}

/** @throws CommandFailure if the file is larger than a manifest or record file can be. */
export function checkFileSize(name: string, bytes: number): void {
  if (bytes > MAX_FILE_BYTES)
    throw new CommandFailure(`this is not an export: ${name} is over 128 MiB`, 'unreadable');
}

/** Leaves out an empty `unnamed`, so that the manifest depends only on the records. */
export function formatManifest(
  records: readonly RecordsFile[],
  { archives, broken }: Walk,
  unnamed: readonly ArchiveId[] = [],
): Buffer {
  const rest = unnamed.length === 0 ? {} : { unnamed };
  const ids = broken.map(({ archive }) => archive);
  const manifest = { ...FORM, records, archives: archives.size, broken: ids, ...rest };
  return Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`);
}

/** @throws CommandFailure for anything but a manifest, and for one of a newer release. */
export function readManifest(bytes: Buffer): ExportManifest {
  const { format, version, records, archives, broken, unnamed = [] } = parseMembers(bytes);
  if (format !== FORM.format)
    throw new CommandFailure('this is not an export: its manifest has another format', 'unreadable');
  if (version !== FORM.version)
    throw new CommandFailure('a newer release made this export: import it with that one', 'unreadable');
  const hasAllMembers = [records, broken, unnamed].every(Array.isArray) && Number.isSafeInteger(archives);
  if (hasAllMembers && records.every(isRecordsFile) && [...broken, ...unnamed].every(isArchiveId))
    return { records, broken, unnamed };
  throw new CommandFailure('the manifest of the export is damaged', 'unreadable');
}

function parseMembers(bytes: Buffer): ReturnType<typeof JSON.parse> {
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
