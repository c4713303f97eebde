import type { ArchiveId, Sha256 } from '@pinfold/core';

/** The form of an export, and the version that is written. */
export const FORM = { format: 'pinfold-export', version: 2 } as const;

/** The versions that are read. Their records differ in members that may be absent. */
export const READ_VERSIONS: readonly unknown[] = [1, FORM.version];

/** The last file of an export, which is incomplete without it. */
export const MANIFEST = 'manifest.json';

/** The folder of the files of records, and that of the archives. */
export const RECORDS = 'records';
export const ARCHIVES = 'archives';

/** One file of records: lines of JSON. */
export interface RecordsFile {
  readonly file: string;
  readonly records: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** What an export says of itself. */
export interface ExportManifest {
  readonly format: typeof FORM.format;
  readonly version: number;
  readonly records: readonly RecordsFile[];
  /** How many archives belong to it. */
  readonly archives: number;
  /** Archives of its records that were missing or altered already where it was made: it has none of them. */
  readonly broken: readonly ArchiveId[];
}

/** An archive on its way, whole. */
export interface MovingArchive {
  readonly id: ArchiveId;
  readonly pieces: readonly Uint8Array[];
  readonly bytes: number;
  readonly sha256: Sha256;
}

/** What an export ends with. */
export interface ExportEnd {
  /** The archives that belong to it, in order of id. */
  readonly archives: readonly ArchiveId[];
  readonly broken: readonly ArchiveId[];
}

/** Where an export goes to: its records first, then its archives, then its end. */
export interface Destination {
  begin(): Promise<void>;
  /** Lines of whole records, each with its end. */
  records(lines: Uint8Array): Promise<void>;
  /** Whether it has an archive already, which then need not be read. */
  has(id: ArchiveId): boolean;
  /** Takes an archive; it may resolve before that is stored. */
  archive(archive: MovingArchive): Promise<void>;
  end(end: ExportEnd): Promise<void>;
}
