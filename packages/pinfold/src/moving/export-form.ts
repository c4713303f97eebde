import { createHash } from 'node:crypto';
import type { ArchiveId } from '@pinfold/core';
import { readRecordLine, recordLine } from '@pinfold/core/internal';
import type { MovedRecord } from '@pinfold/core/moving';
import { checkArchiveSize, unreadable } from './archives.ts';
import type { Walk } from './walk.ts';

const FORM = { format: 'pinfold-export', version: 1 } as const;

/** The last file of an export; without it, the export is incomplete. */
export const MANIFEST = 'manifest.json';
export const RECORDS = 'records';
export const ARCHIVES = 'archives';

/** The allowed names of record files; an import opens no others. */
export const RECORDS_FILE: RegExp = /^records\/\d{6,}-[0-9a-f]{12}\.jsonl$/;

/** The path of an archive in an export, and in its folder of archives. */
export function archivePath(id: ArchiveId): string {
  return `${ARCHIVES}/${id.slice(0, 4)}/${id.slice(4, 7)}/${id}`;
}

/** The maximum bytes of a manifest or record file to read into memory. Exports begin a new record file after 4 MiB. */
const MAX_FILE_BYTES = 134_217_728;

/** The length after which a new record file begins, because each is held in memory as a whole. */
const MAX_LINES_LENGTH = 4_194_304;

/** The content of a record file. */
export interface RecordsContent {
  readonly records: number;
  readonly bytes: number;
  readonly sha256: string;
}

export interface RecordsFile extends RecordsContent {
  readonly file: string;
}

export interface ExportManifest {
  readonly records: readonly RecordsFile[];
  /** Archives that were already missing or altered at the source; the export does not contain them. */
  readonly broken: readonly ArchiveId[];
  /** Archives in the export's folder that its records do not name; a later export removes them. */
  readonly unnamed: readonly ArchiveId[];
}

export function describeRecords(lines: Uint8Array): RecordsContent {
  const sha256 = createHash('sha256').update(lines).digest('hex');
  return { records: lines.filter((byte) => byte === 0x0a).length, bytes: lines.length, sha256 };
}

/** Writes all files of an export but its archives. */
export class ExportWriter {
  readonly files: RecordsFile[] = [];
  readonly #write: (name: string, bytes: Uint8Array) => Promise<void>;
  #lines: string[] = [];
  #length = 0;

  constructor(write: (name: string, bytes: Uint8Array) => Promise<void>) {
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

  /** The name of a record file contains a part of the hash, so that two exports share none. */
  async flush(): Promise<void> {
    if (this.#length === 0) return;
    const lines = Buffer.from(`${this.#lines.join('\n')}\n`);
    [this.#lines, this.#length] = [[], 0];
    const content = describeRecords(lines);
    const number = String(this.files.length + 1).padStart(6, '0');
    const file = `${RECORDS}/${number}-${content.sha256.slice(0, 12)}.jsonl`;
    this.files.push({ file, ...content });
    await this.#write(file, lines);
  }

  /** Leaves out an empty `unnamed`, so that the manifest depends only on the records. */
  async writeManifest({ archives, broken }: Walk, unnamed: readonly ArchiveId[] = []): Promise<void> {
    const ids = broken.map(({ archive }) => archive);
    const rest = unnamed.length === 0 ? {} : { unnamed };
    const manifest = { ...FORM, records: this.files, archives: archives.size, broken: ids, ...rest };
    await this.#write(MANIFEST, Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`));
  }
}

/** @throws CommandFailure for a line that is not a record, or an incomplete last line. */
export function parseRecords(name: string, bytes: Buffer): readonly MovedRecord[] {
  const text = bytes.toString('utf8');
  if (!text.endsWith('\n')) throw unreadable(`${name}: the last line of the records is incomplete`);
  const lines = text.slice(0, -1).split('\n');
  return lines.map((line, n) => {
    try {
      return readRecordLine(line);
    } catch (cause) {
      if (!(cause instanceof TypeError)) throw cause;
      throw unreadable(`${name}: line ${n + 1} cannot be read: ${cause.message}`, cause);
    }
  });
}

/** @throws CommandFailure if a file of an export is larger than it can be. */
export function checkFileSize(name: string, bytes: number): void {
  if (name.startsWith(`${ARCHIVES}/`)) checkArchiveSize(name.slice(name.lastIndexOf('/') + 1), bytes);
  else if (bytes > MAX_FILE_BYTES) throw unreadable(`this is not an export: ${name} is over 128 MiB`);
}

/** @throws CommandFailure for anything but a manifest, and for one of a newer release. */
export function readManifest(bytes: Buffer): ExportManifest {
  const { format, version, records, broken, unnamed = [] } = parseObject(bytes);
  if (format !== FORM.format) throw unreadable('this is not an export: its manifest has another format');
  if (version !== FORM.version) throw unreadable('a newer release made this export: import it with that one');
  const areLists = [records, broken, unnamed].every(Array.isArray);
  if (areLists && records.every(isRecordsFile)) return { records, broken, unnamed };
  throw unreadable(DAMAGED);
}

const DAMAGED = 'the manifest of the export is damaged';

function parseObject(bytes: Buffer): ReturnType<typeof JSON.parse> {
  try {
    return Object(JSON.parse(bytes.toString('utf8')));
  } catch (cause) {
    throw unreadable(DAMAGED, cause);
  }
}

/** Its other members are compared with the content of the file. */
function isRecordsFile(value: unknown): boolean {
  const { file } = Object(value);
  return typeof file === 'string' && RECORDS_FILE.test(file);
}
