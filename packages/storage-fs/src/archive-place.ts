import { join } from 'node:path';
import type { ArchiveId } from '@pinfold/core';

/**
 * The path of an archive: in a folder of the 1,000 seconds in which it was created, in one of 1,000 such
 * spans (some eleven days). So the order of folders and files is the order of ids, a listing needs one
 * folder at a time, and none grows beyond what is published in a quarter of an hour.
 */
export interface ArchivePlace {
  /** The folder of the folders of 1,000 seconds. */
  readonly span: string;
  readonly folder: string;
  readonly file: string;
}

export const SPAN_NAME: RegExp = /^\d{4}$/;
export const FOLDER_NAME: RegExp = /^\d{3}$/;

/** How much of an id the names of both folders are. */
export const FOLDER_DIGITS = 7;
export const SPAN_DIGITS = 4;

/** The place of an archive; the id's type proves that it is digits, hexadecimal digits and `-` alone. */
export function placeOf(root: string, id: ArchiveId): ArchivePlace {
  const span = join(root, id.slice(0, SPAN_DIGITS));
  const folder = join(span, id.slice(SPAN_DIGITS, FOLDER_DIGITS));
  return { span, folder, file: join(folder, id) };
}
