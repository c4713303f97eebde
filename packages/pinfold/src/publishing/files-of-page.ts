import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, posix, sep } from 'node:path';
import { observe } from '@pinfold/archive-zip/observe';
import { forbiddenSegment, isSystemEntry } from '@pinfold/core/internal';

/** References that do not lead to a file beside the page. */
const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|[\\/]|#|\?|$)/i;
const STYLE = /\.css$/i;
/** More is a site, whose folder is to be published. */
const MAX_FILES = 1_000;

/** Finds the existing files in a page's folder, and nowhere else, that it or its style sheets refer to. */
export async function filesOfPage(path: string, page: Uint8Array): Promise<ReadonlyMap<string, Uint8Array>> {
  const folder = await realpath(dirname(path));
  const found = new Map<string, Uint8Array>();
  const named = new Set(partsOf('index.html', page).flatMap((target) => placeOf('', target)));
  // Iteration over a set includes members that are added meanwhile, and visits each name once.
  for (const next of named) {
    if (found.size === MAX_FILES) break;
    if (next === 'index.html') continue;
    const bytes = await readBeside(folder, next);
    if (bytes === undefined) continue;
    found.set(next, bytes);
    if (!STYLE.test(next)) continue;
    const base = next.slice(0, next.lastIndexOf('/') + 1);
    for (const target of partsOf(next, bytes)) {
      for (const place of placeOf(base, target)) named.add(place);
    }
  }
  return found;
}

/** References of a page or a style sheet that load with it, not its links. */
function partsOf(path: string, bytes: Uint8Array): readonly string[] {
  const { references } = observe(path, new TextDecoder().decode(bytes));
  return references.filter(({ navigation }) => !navigation).map(({ target }) => target);
}

/** The path of a reference in the page's folder; none if it leads out of it, or into what no site may have. */
function placeOf(base: string, target: string): readonly string[] {
  if (ELSEWHERE.test(target)) return [];
  const decoded = decode(target.replace(/[?#].*/s, '').replaceAll('\\', '/'));
  if (decoded === undefined) return [];
  const path = posix.join(base, decoded).replace(/\/$/, '');
  const isForbidden = path.split('/').some((name) => name === '..' || forbiddenSegment(name) !== undefined);
  return path === '.' || isForbidden || /[\\\0]/.test(path) || isSystemEntry(path) ? [] : [path];
}

/** `undefined` for broken percent-encoding, and for an encoded slash, which is part of no name. */
function decode(path: string): string | undefined {
  try {
    return /%2f/i.test(path) ? undefined : decodeURIComponent(path);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** A link that leads out of the folder is not followed. */
async function readBeside(folder: string, place: string): Promise<Uint8Array | undefined> {
  try {
    const file = await realpath(join(folder, place));
    if (!file.startsWith(folder + sep) || !(await stat(file)).isFile()) return undefined;
    return await readFile(file);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}
