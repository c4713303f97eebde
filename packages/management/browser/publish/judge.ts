import { type DirectoryListing, readListing } from '@pinfold/archive-zip/listing';
import type { ArchiveListing, Limits, ListedEntry } from '@pinfold/core';
import { judgeListing } from '@pinfold/core/adapter';
import { indexHint } from '@pinfold/core/internal';
import type { PublishProblem } from '@pinfold/http/internal/texts';
import type { FolderFile, FolderSource } from './source.ts';

export type ArchiveLimits = Pick<Limits, 'archiveBytes' | 'expandedBytes' | 'files' | 'fileBytes'>;

export interface Judged {
  readonly problems: readonly PublishProblem[];
  /** The number of the site's files; may be too low if there are problems. */
  readonly files: number;
  readonly bytes: number;
}

const REGULAR_FILE = 0o100644 << 16;
const UNIX = 3;

export function judgeFolder(files: readonly FolderFile[], limits: ArchiveLimits): Judged {
  const entries = files.map(
    ({ path, file }): ListedEntry => ({
      name: path,
      host: UNIX,
      externalAttributes: REGULAR_FILE,
      flags: 0,
      method: 8,
      crc32: 0,
      compressedSize: file.size,
      size: file.size,
      dataOffset: 0,
    }),
  );
  return judge({ entries, problems: [], trusted: true }, limits);
}

/** Judges a folder. If only an index.html is missing, the hint considers all files, even those left out. */
export async function judgeWholeFolder(
  { files, allPaths }: Pick<FolderSource, 'files' | 'allPaths'>,
  limits: ArchiveLimits,
): Promise<Judged> {
  const judged = judgeFolder(files, limits);
  const [only, ...others] = judged.problems;
  if (only?.rule !== 'missing_index' || others.length > 0 || allPaths === undefined) return judged;
  const hint = indexHint(await allPaths());
  return { ...judged, problems: [{ rule: 'missing_index', ...(hint && { hint }) }] };
}

/** Whether the hint is to choose a folder inside this one. */
export function suggestsFolder({ problems }: Judged): boolean {
  return problems.some(
    (problem) =>
      problem.rule === 'missing_index' &&
      (problem.hint?.kind === 'folder' || problem.hint?.kind === 'folders'),
  );
}

/** Judges a ZIP by its directory; the server proves the rest. */
export async function judgeArchive(archive: Blob, limits: ArchiveLimits): Promise<Judged> {
  const judged = judge(await directoryOf(archive), limits);
  const sizeProblems = judgeSize(archive, limits);
  return sizeProblems.length === 0 ? judged : { ...judged, problems: sizeProblems };
}

export function directoryOf(archive: Blob): Promise<DirectoryListing> {
  const readAt = async (position: number, length: number): Promise<Uint8Array> =>
    new Uint8Array(await archive.slice(position, position + length).arrayBuffer());
  return readListing({ size: archive.size, readAt });
}

export function judgeSize(archive: Blob, { archiveBytes }: ArchiveLimits): readonly PublishProblem[] {
  if (archive.size <= archiveBytes) return [];
  return [{ rule: 'archive_too_large', limit: archiveBytes, actual: archive.size }];
}

function judge(listing: ArchiveListing, limits: ArchiveLimits): Judged {
  const { problems, files } = judgeListing(listing, limits);
  const bytes = files.reduce((sum, { entry }) => sum + (listing.entries[entry]?.size ?? 0), 0);
  return { problems, files: files.length, bytes };
}
