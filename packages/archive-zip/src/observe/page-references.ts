import type { FollowedReference } from '@pinfold/core';
import { findAnswer, findFallback, foldPath, hasManyMarks, pageForFolder } from '@pinfold/core/adapter';
import type { Reference } from './reference-collector.ts';

export type Destination = Omit<FollowedReference, 'target'>;

/** A folder that references lead into. */
interface Place {
  readonly folder: string;
  /** Whether the reference goes above the root: it stays there at the root of a host, and leaves the site under a path. */
  readonly above: boolean;
  /** Whether no request for it finds a file. */
  readonly isNowhere?: true;
  /** Its files by name and by folded name, read at the first lookup. */
  files?: FolderFiles;
  folded?: FolderFiles;
}

interface Address {
  readonly place: Place;
  readonly name: string;
}

/** Whether a file answers an address, and the one that would if upper and lower case were the same. */
type Match = Pick<Destination, 'answered' | 'otherCase'>;

const ANSWERED: Match = { answered: true, otherCase: undefined };
const UNANSWERED: Match = { answered: false, otherCase: undefined };

/** Bases that change nothing. */
const NO_BASE = /^(?:#|\?|$)/;
const OTHER_SITE = /^(?:[a-z][a-z0-9+.-]*:|[\\/]{2}|#|\?|$)/i;
/** Placeholders of template languages. */
const TEMPLATE = /\{\{|\}\}|<%|\$\{/;
/** Matches every reference but a plain file name. */
const MORE_THAN_A_NAME = /[^\w.-]|^\.{0,2}$/;
const ABSOLUTE = /^[\\/](?![\\/])/;
const ENCODED_SLASH = /%2f/i;
const NO_FILES: FolderFiles = new Map();

/** Finds where a page's references lead. Looks each folder up once: the cost of one depends on its own length only. */
export class PageReferences {
  readonly #site: SitePaths;
  readonly #folder: string;
  readonly #ends: readonly number[];
  readonly #root: FolderFiles;
  readonly #own: Place | undefined;
  /** By the part of a reference before its last segment; `undefined` if that is no valid path. */
  readonly #places: Map<string, Place | undefined> = new Map();

  constructor(site: SitePaths, page: string) {
    this.#site = site;
    this.#folder = page.slice(0, page.lastIndexOf('/') + 1);
    this.#ends = endsOf(this.#folder);
    this.#root = site.folder('') ?? NO_FILES;
    this.#own = hasManyMarks(this.#folder) ? undefined : { folder: this.#folder, above: false };
  }

  /** The same for references that are relative to a `<base>`; `undefined`: they lead outside the site, or it is unknown. */
  below(base: string): PageReferences | undefined {
    if (NO_BASE.test(base)) return this;
    const place = this.#find(base)?.place;
    return place === undefined || place.isNowhere === true
      ? undefined
      : new PageReferences(this.#site, place.folder);
  }

  /** The path of the file that a reference names, if it is one of the site. */
  fileOf({ target }: Reference): string | undefined {
    const found = this.#address(target);
    return found === undefined ? undefined : this.#files(found.place).get(found.name);
  }

  /** The target of a reference, and whether the site has it; `undefined`: outside the site, or unknown. */
  follow({ target, navigation, isBase }: Reference): Destination | undefined {
    const found = this.#address(target);
    const absolute = ABSOLUTE.test(target) || found?.place.above === true;
    if (isBase === true) return absolute ? { absolute, ...ANSWERED } : undefined;
    if (found === undefined) return undefined;
    const { place, name } = found;
    const match = this.#match({ place, name });
    const page = name === '' && match === UNANSWERED ? this.#matchPage(place.folder) : match;
    const answered = page.answered || (navigation && findFallback(this.#root, name, true).kind === 'file');
    return { absolute, answered, otherCase: page.otherCase };
  }

  #address(target: string): Address | undefined {
    if (MORE_THAN_A_NAME.test(target)) return this.#find(target);
    return this.#own === undefined ? undefined : { place: this.#own, name: target };
  }

  #match({ place, name }: Address): Match {
    const folded = foldPath(name);
    // An exact match is a match without case, too: one lookup finds most broken references.
    const near = findAnswer(this.#foldedFiles(place), folded);
    if (near === undefined) return UNANSWERED;
    if (findAnswer(this.#files(place), name) !== undefined) return ANSWERED;
    const otherCase = near.kind === 'file' ? near.entry : place.folded?.get(`${folded}/index.html`);
    return { answered: false, otherCase };
  }

  /** The page that the server redirects `x/` to. */
  #matchPage(path: string): Match {
    const page = pageForFolder(path);
    if (page === undefined) return UNANSWERED;
    const end = page.lastIndexOf('/') + 1;
    const folder = { folder: page.slice(0, end), above: false };
    const otherCase = this.#foldedFiles(folder).get(foldPath(page.slice(end)));
    return this.#files(folder).has(page.slice(end)) ? ANSWERED : { answered: false, otherCase };
  }

  #files(place: Place): FolderFiles {
    place.files ??= this.#site.folder(place.folder) ?? NO_FILES;
    return place.files;
  }

  #foldedFiles(place: Place): FolderFiles {
    place.folded ??= this.#site.foldedFolder(place.folder) ?? NO_FILES;
    return place.folded;
  }

  /** The folder that a reference leads into, and the decoded name in it; `undefined`: out of the site. */
  #find(target: string): Address | undefined {
    if (OTHER_SITE.test(target) || TEMPLATE.test(target)) return undefined;
    const path = target.replace(/[?#].*/s, '').replaceAll('\\', '/');
    const end = path.lastIndexOf('/') + 1;
    const last = path.slice(end);
    const dots = last === '.' || last === '..';
    const name = decode(dots ? '' : last);
    if (name === undefined || hasManyMarks(name)) return undefined;
    const place = this.#place(dots ? `${path}/` : path.slice(0, end));
    if (place === undefined) return undefined;
    return ENCODED_SLASH.test(last)
      ? { place: nowhere(place.above), name: last }
      : { place, name: name.normalize('NFC') };
  }

  #place(folders: string): Place | undefined {
    if (!this.#places.has(folders)) this.#places.set(folders, this.#resolve(folders));
    return this.#places.get(folders);
  }

  /** RFC 3986, section 5.2.4, for folders alone. */
  #resolve(folders: string): Place | undefined {
    const absolute = folders.startsWith('/');
    let parents = absolute ? 0 : this.#ends.length;
    let above = false;
    const entered: string[] = [];
    for (const segment of folders.split('/').slice(absolute ? 1 : 0, -1)) {
      if (segment === '.') continue;
      if (segment !== '..') entered.push(`${segment}/`);
      else if (entered.pop() === undefined) {
        above ||= parents === 0;
        parents = Math.max(0, parents - 1);
      }
    }
    const further = entered.join('');
    const own = decode(further);
    if (own === undefined) return undefined;
    if (ENCODED_SLASH.test(further)) return nowhere(above);
    const folder = `${this.#folder.slice(0, this.#ends[parents - 1] ?? 0)}${own}`;
    return hasManyMarks(folder) ? undefined : { folder, above };
  }
}

/** Where a reference with an encoded slash leads. */
function nowhere(above: boolean): Place {
  return { folder: '', above, isNowhere: true, files: NO_FILES, folded: NO_FILES };
}

/** Returns a function that finds the resolver of a reference of a file. A page has at most one base. */
export function resolverOf(
  site: SitePaths,
  file: string,
): (reference: Pick<Reference, 'base'>) => PageReferences | undefined {
  const own = new PageReferences(site, file);
  let below: PageReferences | 'unknown' | undefined;
  return ({ base }) => {
    if (base === undefined) return own;
    below ??= own.below(base) ?? 'unknown';
    return below === 'unknown' ? undefined : below;
  };
}

function decode(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** The position after each slash of a folder's path. */
function endsOf(folder: string): readonly number[] {
  const ends: number[] = [];
  for (let at = folder.indexOf('/'); at !== -1; at = folder.indexOf('/', at + 1)) ends.push(at + 1);
  return ends;
}

/** The files of a folder by their path in it: a name, or a folder and its `index.html`. */
export type FolderFiles = ReadonlyMap<string, string>;

type Folders = Map<string, Map<string, string>>;

const INDEX = 'index.html';

/**
 * The paths of a site's files by folder: many references from one folder need its path, however long, looked up once.
 *
 * @example
 * import { SitePaths } from '@pinfold/archive-zip/observe';
 *
 * const site = new SitePaths(['index.html', 'img/logo.png']);
 */
export class SitePaths {
  readonly #paths: readonly string[];
  #exact: Folders | undefined;
  #folded: Folders | undefined;

  constructor(paths: readonly string[]) {
    this.#paths = paths;
  }

  /** @param path ends with `/`, or is empty for the root. */
  folder(path: string): FolderFiles | undefined {
    return this.#folders().get(path.normalize('NFC'));
  }

  /** The folder whose path differs in case at most; its files are by {@link foldPath} of their names. */
  foldedFolder(path: string): FolderFiles | undefined {
    this.#folded ??= foldFolders(this.#folders());
    return this.#folded.get(foldPath(path));
  }

  /** Made at the first lookup: many sites have no references. */
  #folders(): Folders {
    this.#exact ??= foldersOf(this.#paths);
    return this.#exact;
  }
}

function foldersOf(paths: readonly string[]): Folders {
  const folders: Folders = new Map();
  for (const path of paths) {
    const name = path.normalize('NFC');
    const end = name.lastIndexOf('/') + 1;
    place(folders, name.slice(0, end), name.slice(end), path);
  }
  return folders;
}

/** Folds the path of each folder once. */
function foldFolders(folders: Folders): Folders {
  const folded: Folders = new Map();
  for (const [folder, files] of folders) {
    const name = foldPath(folder);
    for (const [file, path] of files) if (!file.includes('/')) place(folded, name, foldPath(file), path);
  }
  return folded;
}

/** Adds a start page to the folder around its own, too. */
function place(folders: Folders, folder: string, name: string, path: string): void {
  add(folders, folder, name, path);
  if (name !== INDEX || folder === '') return;
  const own = folder.lastIndexOf('/', folder.length - 2) + 1;
  add(folders, folder.slice(0, own), folder.slice(own) + name, path);
}

function add(folders: Folders, folder: string, name: string, path: string): void {
  const files = folders.get(folder);
  if (files === undefined) folders.set(folder, new Map([[name, path]]));
  else files.set(name, path);
}
