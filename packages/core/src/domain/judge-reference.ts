import { foldPath } from './fold-path.ts';
import type { Reference } from './observations.ts';
import { answerOf, fallback } from './site.ts';
import type { FolderFiles, SitePaths } from './site-paths.ts';
import { hasManyMarks } from './text.ts';

/** Where a reference leads in its site. */
export interface Destination {
  /** Whether the reference begins with `/`. */
  readonly absolute: boolean;
  /** Whether the site has something to show there, if only the start page of an app. */
  readonly answered: boolean;
  /** The file that would be there if upper and lower case were the same. */
  readonly otherCase: string | undefined;
}

/** A reference of a page, with where it leads. */
export interface FollowedReference extends Destination {
  readonly target: string;
}

/** A folder that references lead into. */
interface Place {
  readonly folder: string;
  /** Its files, and those by folded name, once they have been asked for. */
  files?: FolderFiles;
  folded?: FolderFiles;
}

const OTHER_SITE = /^(?:[a-z][a-z0-9+.-]*:|[\\/]{2}|#|\?|$)/i;
/** What a script is to fill in. */
const TEMPLATE = /\{\{|\}\}|<%|\$\{/;
/** What a mere name has none of. */
const MORE_THAN_A_NAME = /[^\w.-]|^\.{0,2}$/;
const ENCODED_SLASH = /%2f/i;
const NO_FILES: FolderFiles = new Map();
/** Whoever asks for an encoded slash is shown no file. */
const NOWHERE: Place = { folder: '', files: NO_FILES, folded: NO_FILES };

/**
 * Finds out where the references of one page lead. The page's folder is found once, and so is each folder that several
 * of them lead into: what a reference costs goes by its own length.
 */
export class PageReferences {
  readonly #site: SitePaths;
  readonly #folder: string;
  readonly #ends: readonly number[];
  readonly #root: FolderFiles;
  /** `undefined`: nothing is judged there. */
  readonly #own: Place | undefined;
  /** By what a reference has before its last segment; `undefined` for what no path can be. */
  readonly #places: Map<string, Place | undefined> = new Map();

  constructor(site: SitePaths, page: string) {
    this.#site = site;
    this.#folder = page.slice(0, page.lastIndexOf('/') + 1);
    this.#ends = endsOf(this.#folder);
    this.#root = site.folder('') ?? NO_FILES;
    this.#own = hasManyMarks(this.#folder) ? undefined : { folder: this.#folder };
  }

  /** Where a reference leads, and whether the site answers there; `undefined`: out of the site, or not to be told. */
  follow({ target, navigation }: Reference): Destination | undefined {
    const found = MORE_THAN_A_NAME.test(target) ? this.#find(target) : { place: this.#own, name: target };
    if (found?.place === undefined) return undefined;
    const { place, name } = found;
    const absolute = /^[\\/]/.test(target);
    const folded = foldPath(name);
    place.folded ??= this.#site.foldedFolder(place.folder) ?? NO_FILES;
    // What is there as it is spelt is there but for case, too: most of what is broken is found out by one look.
    const near = answerOf(place.folded, folded);
    if (near !== undefined && this.#isExact(place, name)) {
      return { absolute, answered: true, otherCase: undefined };
    }
    const answered = navigation && fallback(this.#root, name, true).kind === 'file';
    const otherCase = near?.kind === 'folder' ? place.folded.get(`${folded}/index.html`) : near?.entry;
    return { absolute, answered, otherCase };
  }

  #isExact(place: Place, name: string): boolean {
    place.files ??= this.#site.folder(place.folder) ?? NO_FILES;
    return answerOf(place.files, name) !== undefined;
  }

  /** The folder that a reference leads into, and the name there, decoded as the site is asked for it; `undefined`: out of the site. */
  #find(target: string): { readonly place: Place; readonly name: string } | undefined {
    if (OTHER_SITE.test(target) || TEMPLATE.test(target)) return undefined;
    const path = target.replace(/[?#].*/s, '').replaceAll('\\', '/');
    const end = path.lastIndexOf('/') + 1;
    const last = path.slice(end);
    const dots = last === '.' || last === '..';
    const name = decode(dots ? '' : last);
    if (name === undefined || hasManyMarks(name)) return undefined;
    const place = this.#place(dots ? `${path}/` : path.slice(0, end));
    if (place === undefined) return undefined;
    return ENCODED_SLASH.test(last) ? { place: NOWHERE, name: last } : { place, name: name.normalize('NFC') };
  }

  #place(way: string): Place | undefined {
    if (!this.#places.has(way)) this.#places.set(way, this.#go(way));
    return this.#places.get(way);
  }

  /** RFC 3986, section 5.2.4, for folders alone. */
  #go(way: string): Place | undefined {
    const absolute = way.startsWith('/');
    let kept = absolute ? 0 : this.#ends.length;
    const entered: string[] = [];
    for (const segment of way.split('/').slice(absolute ? 1 : 0, -1)) {
      if (segment === '.') continue;
      if (segment !== '..') entered.push(`${segment}/`);
      else if (entered.pop() === undefined) kept = Math.max(0, kept - 1);
    }
    const further = entered.join('');
    const own = decode(further);
    if (own === undefined) return undefined;
    if (ENCODED_SLASH.test(further)) return NOWHERE;
    const folder = `${this.#folder.slice(0, this.#ends[kept - 1] ?? 0)}${own}`;
    return hasManyMarks(folder) ? undefined : { folder };
  }
}

/** As URLs are; `undefined` for what no path can be. */
function decode(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** Where each segment of a folder's path ends, its slash with it. */
function endsOf(folder: string): readonly number[] {
  const ends: number[] = [];
  for (let at = folder.indexOf('/'); at !== -1; at = folder.indexOf('/', at + 1)) ends.push(at + 1);
  return ends;
}
