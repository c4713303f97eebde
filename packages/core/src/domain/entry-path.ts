import type { ListedEntry } from './archive-rules.ts';
import type { Branded } from './identity.ts';
import { utf8Length } from './text.ts';

/** The path of a file in a site, proved: relative, `/` between segments, none of them empty, `.` or `..`. */
export type EntryPath = Branded<string, 'EntryPath'>;

/** Why a path is unsafe. `segment`: one is empty, `.` or `..`; `too_long`: it has more than 1,024 bytes. */
export type UnsafePath =
  | 'empty'
  | 'control_character'
  | 'backslash'
  | 'colon'
  | 'absolute'
  | 'segment'
  | 'too_long';

const MAX_PATH_BYTES = 1_024;
const UNSAFE: readonly (readonly [form: RegExp, reason: UnsafePath])[] = [
  [/^$/, 'empty'],
  [/\p{Cc}/u, 'control_character'],
  [/\\/, 'backslash'],
  [/:/, 'colon'],
  [/^\//, 'absolute'],
  [/(?:^|\/)(?:\.{1,2}(?:\/|$)|\/)/, 'segment'],
];
/** What most paths are: safe by one look in the place of one for each form. */
const PLAIN = /^(?:[\w-][\w.-]*(?:\/|$))+$/;
const FORBIDDEN = /(?:^|\/)(\.git|\.env|node_modules|tmp|log)(?=\/|$)/iu;

export function unsafePath(name: string): UnsafePath | undefined {
  if (isTooLong(name)) return 'too_long';
  if (PLAIN.test(name)) return undefined;
  return UNSAFE.find(([form]) => form.test(name))?.[1];
}

export function isTooLong(name: string): boolean {
  // No character has more than three bytes for each of its UTF-16 units.
  return name.length * 3 > MAX_PATH_BYTES && utf8Length(name) > MAX_PATH_BYTES;
}

/** Proves the path of a file; `undefined` when it is unsafe or names a folder. */
export function entryPath(name: string): EntryPath | undefined {
  return name.endsWith('/') || unsafePath(name) !== undefined ? undefined : (name as EntryPath);
}

/** The path segment that no site may carry, or `undefined` (`forbidden_name`, docs/wire.md#the-rules-for-zips). */
export function forbiddenSegment(name: string): string | undefined {
  return FORBIDDEN.exec(name)?.[1];
}

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
): 'file_or_folder' | 'symlink' | 'special' {
  const type = (entry.externalAttributes >>> 16) & S_IFMT;
  if (type === S_IFLNK) return 'symlink';
  if (WINDOWS_HOSTS.includes(entry.host)) {
    if ((entry.externalAttributes & REPARSE_POINT) !== 0) return 'symlink';
    if ((entry.externalAttributes & DEVICE) !== 0) return 'special';
  }
  const isFolder = type === S_IFDIR && path.endsWith('/');
  return type === 0 || type === S_IFREG || isFolder ? 'file_or_folder' : 'special';
}

/** The systems whose archivers may write `\` between folders: MS-DOS, NTFS and VFAT (APPNOTE.TXT, section 4.4.2). */
const BACKSLASH_HOSTS = [0, 10, 11];

/**
 * Normalizes the names of an archive: `\` to `/`, as Windows PowerShell 5 writes it, and no `./` at the beginning, as
 * bsdtar writes it. Only if the whole archive has names of that form. `undefined` for an entry `./`.
 */
export function normalizeNames(
  entries: readonly Pick<ListedEntry, 'name' | 'host'>[],
): readonly (string | undefined)[] {
  const names = entries.map((entry) => entry.name);
  if (entries.every(({ name, host }) => !name.includes('/') && BACKSLASH_HOSTS.includes(host))) {
    return names.map((name) => name.replaceAll('\\', '/'));
  }
  if (names.every((name) => name.startsWith('./'))) {
    return names.map((name) => (name === './' ? undefined : name.slice(2)));
  }
  return names;
}

const SYSTEM_FILES = new Set(['.ds_store', 'thumbs.db', 'desktop.ini']);
const MAX_SYSTEM_NAME = 'desktop.ini'.length;
const SYSTEM_FOLDER = '__macosx/';
/** The file of a folder's own icon on macOS, whose name ends with a carriage return. */
const ICON = 'Icon\r';
/** AppleDouble's magic number (RFC 1740, section 5). */
const APPLE_DOUBLE = [0x00, 0x05, 0x16, 0x07];

/** The number of bytes that {@link isAppleDouble} needs. */
export const APPLE_DOUBLE_BYTES: number = APPLE_DOUBLE.length;

/** Whether an operating system added this entry by itself, by its name: it is proved, but no part of the site. */
export function isSystemEntry(name: string): boolean {
  if (`${name}/`.slice(0, SYSTEM_FOLDER.length).toLowerCase() === SYSTEM_FOLDER) return true;
  const file = lastSegment(name);
  if (file === ICON) return true;
  // Hashing a long text takes as long as it is.
  return file.length <= MAX_SYSTEM_NAME && SYSTEM_FILES.has(file.toLowerCase());
}

/** Whether a file of this name may be AppleDouble: its data tell, see {@link isAppleDouble}. */
export function mayBeAppleDouble(name: string): boolean {
  return /^\._./s.test(lastSegment(name));
}

/** Whether data are AppleDouble: the metadata that macOS stores next to a file on foreign volumes. */
export function isAppleDouble(data: Uint8Array): boolean {
  return APPLE_DOUBLE.every((byte, at) => data[at] === byte);
}

/** Whether a dot file or folder comes from a site generator: no viewer needs it, and it has no secret. */
export function isToolFile(path: string): boolean {
  return /^\.(?:nojekyll|buildinfo|doctrees|gitkeep)$/.test(lastSegment(path.replace(/\/$/, '')));
}

/** A name without the carriage return that macOS puts at the end of `Icon` and `._Icon`. */
export function withoutIconEnd(name: string): string {
  return name.endsWith(ICON) && /^(?:\._)?Icon\r$/.test(lastSegment(name)) ? name.slice(0, -1) : name;
}

function lastSegment(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}
