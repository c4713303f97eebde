const SYSTEM_FILES = new Set(['.ds_store', 'thumbs.db', 'desktop.ini']);
const MAX_SYSTEM_FILE = 'desktop.ini'.length;
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
  // To look a long text up takes as long as it is.
  return file.length <= MAX_SYSTEM_FILE && SYSTEM_FILES.has(file.toLowerCase());
}

/** Whether a file of this name may be AppleDouble: its data tell, see {@link isAppleDouble}. */
export function mayBeAppleDouble(name: string): boolean {
  return /^\._./s.test(lastSegment(name));
}

/** Whether data are AppleDouble: what macOS stores beside a file on volumes that have no room for it elsewhere. */
export function isAppleDouble(data: Uint8Array): boolean {
  return APPLE_DOUBLE.every((byte, at) => data[at] === byte);
}

/** Whether a dot file or folder is what tools leave beside a site: no viewer needs it, and it holds no secret. */
export function isToolMark(path: string): boolean {
  return /^\.(?:nojekyll|buildinfo|doctrees|gitkeep)$/.test(lastSegment(path.replace(/\/$/, '')));
}

/** A name without the carriage return that macOS puts at the end of `Icon` and `._Icon`. */
export function withoutIconEnd(name: string): string {
  return name.endsWith(ICON) && /^(?:\._)?Icon\r$/.test(lastSegment(name)) ? name.slice(0, -1) : name;
}

function lastSegment(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}
