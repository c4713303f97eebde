import type { ListedEntry } from './archive-rules.ts';

export type EntryKind = 'file_or_folder' | 'symlink' | 'special';

const S_IFMT = 0o170000;
const S_IFLNK = 0o120000;
const S_IFREG = 0o100000;
const S_IFDIR = 0o040000;
/** Windows' FILE_ATTRIBUTE_DEVICE and FILE_ATTRIBUTE_REPARSE_POINT: a device, a link or a mount point. */
const DEVICE = 0x40;
const REPARSE_POINT = 0x400;
const WINDOWS_HOSTS = [0, 10, 11, 14];

/** Reads external attributes. The upper half is a Unix mode if it has a file type, on any host: unpackers agree. */
export function kindOfEntry(
  path: string,
  entry: Pick<ListedEntry, 'host' | 'externalAttributes'>,
): EntryKind {
  const type = (entry.externalAttributes >>> 16) & S_IFMT;
  if (type === S_IFLNK) return 'symlink';
  if (WINDOWS_HOSTS.includes(entry.host)) {
    if ((entry.externalAttributes & REPARSE_POINT) !== 0) return 'symlink';
    if ((entry.externalAttributes & DEVICE) !== 0) return 'special';
  }
  const isFolder = type === S_IFDIR && path.endsWith('/');
  return type === 0 || type === S_IFREG || isFolder ? 'file_or_folder' : 'special';
}
