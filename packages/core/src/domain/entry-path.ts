import type { Branded } from './brand.ts';
import { utf8Length } from './text.ts';

/** The path of a file in a site, proved: relative, `/` between segments, none of them empty, `.` or `..`. */
export type EntryPath = Branded<string, 'EntryPath'>;

const CONTROL = /\p{Cc}/u;
const MAX_BYTES = 1_024;
/** What most names are: segments of these characters that begin with no dot. */
const PLAIN = /^(?:[\w@-][\w.@ -]*\/)*[\w@-][\w.@ -]*\/?$/;
const FORBIDDEN = /(?:^|\/)(\.git|\.env|node_modules|tmp|log)(?=\/|$)/iu;
const SYSTEM_FILES = new Set(['.DS_Store', 'Thumbs.db', 'desktop.ini']);

/** Why a name is no safe path, as one sentence, or `undefined` when it is one (contract, section 6: `unsafe_path`). */
export function unsafePath(name: string): string | undefined {
  if (name === '') return 'The name is empty.';
  if (isTooLong(name)) return `The path has more than ${MAX_BYTES} bytes.`;
  if (PLAIN.test(name)) return undefined;
  if (CONTROL.test(name)) return 'The path has a control character.';
  if (name.includes('\\')) return 'The path has a backslash.';
  if (name.includes(':')) return 'The path has a colon.';
  if (name.startsWith('/')) return 'The path is absolute.';
  const path = name.endsWith('/') ? name.slice(0, -1) : name;
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.' || segment === '..') return `The path has a segment "${segment}".`;
  }
  return undefined;
}

/** No character has less than one byte, or more than three for each of its UTF-16 units. */
function isTooLong(name: string): boolean {
  return name.length > MAX_BYTES || (name.length * 3 > MAX_BYTES && utf8Length(name) > MAX_BYTES);
}

/** Proves the path of a file; `undefined` when it is unsafe or names a folder. */
export function entryPath(name: string): EntryPath | undefined {
  return name.endsWith('/') || unsafePath(name) !== undefined ? undefined : (name as EntryPath);
}

/** The path segment that no site may carry, or `undefined` (contract, section 6: `forbidden_name`). */
export function forbiddenSegment(name: string): string | undefined {
  return FORBIDDEN.exec(name)?.[1];
}

/** Whether an operating system added this entry by itself: it is proved, but no part of the site. */
export function isSystemEntry(name: string): boolean {
  if (name === '__MACOSX' || name.startsWith('__MACOSX/')) return true;
  return SYSTEM_FILES.has(name.slice(name.lastIndexOf('/') + 1));
}

/**
 * The form in which two paths are the same to a file system that knows no case: NFC, then simple case folding by what
 * the language has, upper case and then lower (Unicode, section 5.18).
 */
export function foldPath(path: string): string {
  const composed = path.normalize('NFC');
  const upper = composed.toUpperCase();
  const lower = upper.toLowerCase();
  // Where a letter becomes several, as ß would become ss, each has to be looked at by itself.
  const longer = upper.length !== composed.length || lower.length !== upper.length;
  if (longer || composed.includes('ı')) return Array.from(composed, foldCharacter).join('');
  // At the end of a word the language makes another letter of the same.
  return lower.replaceAll('ς', 'σ');
}

/** Both mappings only where they give one character. Dotless i folds to itself: only Turkish makes it an i. */
function foldCharacter(character: string): string {
  if (character === 'ı') return character;
  const upper = single(character.toUpperCase(), character);
  return single(upper.toLowerCase(), upper);
}

function single(mapped: string, original: string): string {
  return [...mapped].length === 1 ? mapped : original;
}
