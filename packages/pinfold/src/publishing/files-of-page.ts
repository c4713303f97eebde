import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, posix, sep } from 'node:path';
import { observe } from '@pinfold/archive-zip/observe';
import { forbiddenSegment, isSystemEntry, percentDecoded } from '@pinfold/core/internal';

/** References that do not lead to a file in the page's folder: URLs with a scheme, absolute paths, fragments and queries. */
const NOT_A_FILE = /^(?:[a-z][a-z0-9+.-]*:|[\\/]|#|\?|$)/i;
/** The page is published under this name, which no other file can then have. */
const PAGE = 'index.html';
/** The part of a `<base>` to which relative references are added. */
const BASE_FOLDER = /^[^?#]*[\\/:]/;
const STYLE = /\.css$/i;
/** A page with more files is a site, whose folder should be published instead. */
const MAX_FILES = 1_000;

/**
 * Finds the existing files in a page's folder, or below, that it or its style sheets refer to. It reads nothing outside
 * that folder.
 */
export async function findPageFiles(
  path: string,
  page: Uint8Array,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const folder = await realpath(dirname(path));
  const found = new Map<string, Uint8Array>();
  const queue = new Set(loadedPaths(PAGE, page));
  // Iterating over a set visits members added during the loop, and each only once.
  for (const next of queue) {
    if (found.size === MAX_FILES) break;
    if (next === PAGE) continue;
    const bytes = await readInFolder(folder, next);
    if (bytes === undefined) continue;
    found.set(next, bytes);
    if (STYLE.test(next)) for (const loaded of loadedPaths(next, bytes)) queue.add(loaded);
  }
  return found;
}

/** The paths in the page's folder that the page or a style sheet loads, without its links. */
function loadedPaths(file: string, bytes: Uint8Array): readonly string[] {
  const { references } = observe(file, new TextDecoder().decode(bytes));
  const folder = file.slice(0, file.lastIndexOf('/') + 1);
  return references
    .filter(({ navigation, target }) => !navigation && !NOT_A_FILE.test(target))
    .flatMap(({ base = '', target }) => resolveInFolder(folder, `${BASE_FOLDER.exec(base) ?? ''}${target}`));
}

/** The path of a reference in the page's folder; empty if it leads out of the folder or to a forbidden name. */
function resolveInFolder(folder: string, target: string): readonly string[] {
  if (NOT_A_FILE.test(target)) return [];
  const decoded = decode(target.replace(/[?#].*/s, '').replaceAll('\\', '/'));
  if (decoded === undefined) return [];
  const path = posix.join(folder, decoded).replace(/\/$/, '');
  const isForbidden = path.split('/').some((name) => name === '..' || forbiddenSegment(name) !== undefined);
  return path === '.' || isForbidden || /[\\\0]/.test(path) || isSystemEntry(path) ? [] : [path];
}

/** Returns `undefined` for broken percent-encoding, and for an encoded slash, which no file name contains. */
function decode(path: string): string | undefined {
  return /%2f/i.test(path) ? undefined : percentDecoded(path);
}

/** Reads a file; `undefined` if it cannot be read, or is a symbolic link out of the folder. */
async function readInFolder(folder: string, path: string): Promise<Uint8Array | undefined> {
  try {
    const file = await realpath(join(folder, path));
    if (!file.startsWith(folder + sep) || !(await stat(file)).isFile()) return undefined;
    return await readFile(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}
