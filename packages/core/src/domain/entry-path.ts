import type { Branded } from './brand.ts';
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

const MAX_BYTES = 1_024;
const UNSAFE: readonly (readonly [form: RegExp, reason: UnsafePath])[] = [
  [/^$/, 'empty'],
  [/\p{Cc}/u, 'control_character'],
  [/\\/, 'backslash'],
  [/:/, 'colon'],
  [/^\//, 'absolute'],
  [/(?:^|\/)(?:\.{1,2}(?:\/|$)|\/)/, 'segment'],
];
const FORBIDDEN = /(?:^|\/)(\.git|\.env|node_modules|tmp|log)(?=\/|$)/iu;

export function unsafePath(name: string): UnsafePath | undefined {
  if (isTooLong(name)) return 'too_long';
  return UNSAFE.find(([form]) => form.test(name))?.[1];
}

export function isTooLong(name: string): boolean {
  // No character has more than three bytes for each of its UTF-16 units.
  return name.length * 3 > MAX_BYTES && utf8Length(name) > MAX_BYTES;
}

/** Proves the path of a file; `undefined` when it is unsafe or names a folder. */
export function entryPath(name: string): EntryPath | undefined {
  return name.endsWith('/') || unsafePath(name) !== undefined ? undefined : (name as EntryPath);
}

/** The path segment that no site may carry, or `undefined` (`forbidden_name`, docs/wire.md#the-rules-for-zips). */
export function forbiddenSegment(name: string): string | undefined {
  return FORBIDDEN.exec(name)?.[1];
}
