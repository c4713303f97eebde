import { createHash } from 'node:crypto';
import { readRecordLine, recordLine } from '@pinfold/core/internal';
import type { MovedRecord } from '@pinfold/core/moving';
import { CommandFailure } from '../command-line/failures.ts';
import { type Destination, type ExportEnd, FORM, RECORDS, type RecordsFile } from './export-form.ts';

/** From this length on a file of records is ended: one is held in memory as a whole. */
const FULL = 4_194_304;

/** Writes records to a destination, gathered into files. */
export class RecordWriter {
  readonly #to: Pick<Destination, 'records'>;
  #lines: string[] = [];
  #length = 0;
  /** How many were added. */
  count = 0;

  constructor(to: Pick<Destination, 'records'>) {
    this.#to = to;
  }

  async add(record: MovedRecord): Promise<void> {
    const line = `${recordLine(record)}\n`;
    this.#lines.push(line);
    this.#length += line.length;
    this.count += 1;
    if (this.#length >= FULL) await this.end();
  }

  /** Writes what was gathered, if anything was. */
  async end(): Promise<void> {
    if (this.#lines.length === 0) return;
    const lines = Buffer.from(this.#lines.join(''));
    this.#lines = [];
    this.#length = 0;
    await this.#to.records(lines);
  }
}

/** What the manifest says of the `n`th file of records. Its name has a part of its hash: two exports share no name. */
export function recordsFileOf(n: number, lines: Uint8Array): RecordsFile {
  const sha256 = createHash('sha256').update(lines).digest('hex');
  const file = `${RECORDS}/${String(n).padStart(6, '0')}-${sha256.slice(0, 12)}.jsonl`;
  return { file, records: lines.filter((byte) => byte === 0x0a).length, bytes: lines.length, sha256 };
}

/** The manifest of an export with these files. */
export function manifestOf(records: readonly RecordsFile[], { archives, broken }: ExportEnd): Buffer {
  const manifest = { ...FORM, records, archives: archives.length, broken };
  return Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`);
}

/** @throws CommandFailure when a line is no record. */
export function recordsIn(lines: Uint8Array): readonly MovedRecord[] {
  const text = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength).toString('utf8');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line, n) => {
      try {
        return readRecordLine(line);
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        throw new CommandFailure(`line ${n + 1} of the records cannot be read: ${error.message}`, {
          cause: error,
        });
      }
    });
}
