import {
  type ArchiveListing,
  judgeListing,
  type Limits,
  type ListedEntry,
  type Problem,
} from '@pinfold/core';
import { listingOf, readDirectory } from './read-directory.ts';
import type { FolderFile } from './source.ts';

/** The limits that an archive is judged by. */
export type ArchiveLimits = Pick<Limits, 'archiveBytes' | 'expandedBytes' | 'files' | 'fileBytes'>;

const REGULAR_FILE = 0o100644 << 16;
const UNIX = 3;

/** The broken rules of a folder, before anything is packed. */
export function judgeFolder(files: readonly FolderFile[], limits: ArchiveLimits): readonly Problem[] {
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

/** The broken rules of a ZIP that its directory shows; the server proves the rest. */
export async function judgeArchive(archive: Blob, limits: ArchiveLimits): Promise<readonly Problem[]> {
  const large = judgeSize(archive, limits);
  if (large.length > 0) return large;
  const listing = listingOf(await readDirectory(archive));
  return listing === undefined ? [] : judge(listing, limits);
}

/** Whether a ZIP has more bytes than the server takes. */
export function judgeSize(archive: Blob, { archiveBytes }: ArchiveLimits): readonly Problem[] {
  if (archive.size <= archiveBytes) return [];
  return [{ rule: 'archive_too_large', detail: '', limit: archiveBytes, actual: archive.size }];
}

function judge(listing: ArchiveListing, limits: ArchiveLimits): readonly Problem[] {
  return judgeListing(listing, limits).problems;
}
