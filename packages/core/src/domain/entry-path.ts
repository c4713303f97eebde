import type { ListedEntry } from './archive-rules.ts';
import type { Branded } from './identity.ts';
import { utf8Length } from './text.ts';

/** The safe path of a file in a site: relative, `/` between segments, none of them empty, `.` or `..`. */
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
/** Most paths match this, and are safe without a check of each {@link UNSAFE} form. */
const PLAIN = /^(?:[\w-][\w.-]*(?:\/|$))+$/;
const FORBIDDEN = /(?:^|\/)(\.git|\.env|node_modules|tmp|log)(?=\/|$)/iu;

/** Finds why a path is unsafe; `undefined` if it is safe. */
export function unsafePath(name: string): UnsafePath | undefined {
  if (isTooLong(name)) return 'too_long';
  if (PLAIN.test(name)) return undefined;
  return UNSAFE.find(([form]) => form.test(name))?.[1];
}

export function isTooLong(name: string): boolean {
  // Each UTF-16 unit has one to three bytes.
  if (name.length > MAX_PATH_BYTES) return true;
  return name.length * 3 > MAX_PATH_BYTES && utf8Length(name) > MAX_PATH_BYTES;
}

/** Validates the path of a file; `undefined` if it is unsafe or names a folder. */
export function entryPath(name: string): EntryPath | undefined {
  return name.endsWith('/') || unsafePath(name) !== undefined ? undefined : (name as EntryPath);
}

/** Finds a path segment that no site may have (`forbidden_name`, docs/wire.md#the-rules-for-zips). */
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

/** Reads external attributes. Unpackers agree that the upper half is a Unix mode if it has a file type, on any host. */
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

type NamesToNormalize = readonly Pick<ListedEntry, 'name' | 'host'>[];

/**
 * Normalizes the names of an archive, if all have the form of one tool: replaces `\` of Windows PowerShell 5 by `/`, then
 * removes the leading `./` of bsdtar. `undefined` for an entry `./`.
 */
export function normalizeNames(entries: NamesToNormalize): readonly (string | undefined)[] {
  const normalize = nameNormalizer(entries);
  return entries.map(({ name }) => normalize(name));
}

/** Like {@link normalizeNames}, but name by name: to replace each `\` in megabytes of names takes seconds. */
export function nameNormalizer(entries: NamesToNormalize): (name: string) => string | undefined {
  const isWindows = entries.every(({ name, host }) => !name.includes('/') && BACKSLASH_HOSTS.includes(host));
  const start = isWindows ? '.\\' : './';
  const isBelowDot = entries.every(({ name }) => name.startsWith(start));
  return (name) => {
    if (isBelowDot && name === start) return undefined;
    const path = isBelowDot ? name.slice(start.length) : name;
    return isWindows ? path.replaceAll('\\', '/') : path;
  };
}

const SYSTEM_FILES = new Set(['.ds_store', 'thumbs.db', 'desktop.ini']);
const MAX_SYSTEM_NAME = 'desktop.ini'.length;
const SYSTEM_FOLDER = '__macosx/';
/** The icon of a folder on macOS. */
const ICON = 'Icon\r';
/** AppleDouble's magic number (RFC 1740, section 5). */
const APPLE_DOUBLE = [0x00, 0x05, 0x16, 0x07];

/** The number of bytes that {@link isAppleDouble} needs. */
export const APPLE_DOUBLE_BYTES: number = APPLE_DOUBLE.length;

/** Whether an operating system adds entries of this name by itself. They are proved, but are not part of the site. */
export function isSystemEntry(name: string): boolean {
  if (`${name}/`.slice(0, SYSTEM_FOLDER.length).toLowerCase() === SYSTEM_FOLDER) return true;
  const file = lastSegment(name);
  if (file === ICON) return true;
  // The length comes first: converting and hashing a long name takes long.
  return file.length <= MAX_SYSTEM_NAME && SYSTEM_FILES.has(file.toLowerCase());
}

/** Whether a file of this name may be AppleDouble; {@link isAppleDouble} decides by its data. */
export function mayBeAppleDouble(name: string): boolean {
  return /^\._./s.test(lastSegment(name));
}

/** Whether data are AppleDouble: the metadata that macOS stores next to a file on foreign volumes. */
export function isAppleDouble(data: Uint8Array): boolean {
  return APPLE_DOUBLE.every((byte, at) => data[at] === byte);
}

/** Whether a dot file or folder is one of a site generator: no viewer needs it, and it has no secret. */
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
