import { join } from 'node:path';
import type { ArchiveId } from '@pinfold/core';

/**
 * The path of an archive: in a folder for the 1,000 seconds in which it was created, within a folder for 1,000 of these
 * (about eleven days). So folders and files sort in the order of ids, a listing reads one folder at a time, and no folder
 * has more archives than are published in a quarter of an hour.
 */
export interface ArchivePlace {
  /** The folder that has the folders of 1,000 seconds each. */
  readonly span: string;
  readonly folder: string;
  readonly file: string;
}

export const SPAN_NAME: RegExp = /^\d{4}$/;
export const FOLDER_NAME: RegExp = /^\d{3}$/;

/** How many digits of an id the names of both folders have together. */
export const FOLDER_DIGITS = 7;
export const SPAN_DIGITS = 4;

/** The place of an archive. Its id is safe in a path: the type proves that it has only hexadecimal digits and `-`. */
export function placeOf(root: string, id: ArchiveId): ArchivePlace {
  const span = join(root, id.slice(0, SPAN_DIGITS));
  const folder = join(span, id.slice(SPAN_DIGITS, FOLDER_DIGITS));
  return { span, folder, file: join(folder, id) };
}
