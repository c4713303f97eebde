import type { ArchiveId } from '@pinfold/core';
import { parseArchiveId } from '@pinfold/core/adapter';
import { CommandFailure } from '../command-line/failures.ts';
import { type ExportManifest, FORM, READ_VERSIONS, type RecordsFile } from './export-form.ts';

/** The names of files of records; no other file is ever opened. */
export const RECORDS_FILE: RegExp = /^records\/\d{6,}-[0-9a-f]{12}\.jsonl$/;

/**
 * Reads the manifest of an export.
 *
 * @throws CommandFailure for anything else, and for a manifest of a newer release.
 */
export function readManifest(text: string): ExportManifest {
  const { format, version, records, archives, broken } = membersOf(text);
  if (format !== FORM.format) throw new CommandFailure('this is no export: its manifest says nothing of one');
  if (!READ_VERSIONS.includes(version)) {
    throw new CommandFailure('a newer release made this export: import it with that one');
  }
  if (!Array.isArray(records) || !records.every(isRecordsFile)) throw damaged();
  if (!Number.isSafeInteger(archives) || !Array.isArray(broken) || !broken.every(isArchiveId))
    throw damaged();
  return { format: FORM.format, version: version as number, records, archives: archives as number, broken };
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

function isArchiveId(value: unknown): value is ArchiveId {
  return typeof value === 'string' && parseArchiveId(value) !== undefined;
}
