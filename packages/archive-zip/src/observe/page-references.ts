import type { FollowedReference } from '@pinfold/core';
import { findAnswer, findFallback, foldPath, hasManyMarks, pageForFolder } from '@pinfold/core/adapter';
import { percentDecoded } from '@pinfold/core/internal';
import type { Reference } from './reference-collector.ts';

export type Destination = Omit<FollowedReference, 'target'>;

/** A folder to which references lead. */
interface TargetFolder {
  readonly path: string;
  /** Whether the reference goes above the root. At the root of a host it then means the root; below a path, it leaves the site. */
  readonly above: boolean;
  /** Whether no request in it finds a file. */
  readonly isUnreachable?: true;
  /** Its files by name and by folded name, read at the first lookup. */
  files?: FolderFiles;
  folded?: FolderFiles;
}

interface Address {
  readonly folder: TargetFolder;
  readonly name: string;
}

/** Whether a file answers an address; otherwise, the file that would if letter case did not matter. */
type Match = Pick<Destination, 'answered' | 'otherCase'>;

const ANSWERED: Match = { answered: true, otherCase: undefined };
const UNANSWERED: Match = { answered: false, otherCase: undefined };

/** Bases that do not change references. */
const NO_BASE = /^(?:#|\?|$)/;
/** References that lead to no file: to another site, or only to a fragment or query of the page itself. */
const NO_FILE_OF_SITE = /^(?:[a-z][a-z0-9+.-]*:|[\\/]{2}|#|\?|$)/i;
/** Paths on the author's own computer, which nobody else can load. */
const OWN_COMPUTER = /^(?:file:|[a-z]:[\\/])/i;
/** The maximum number of folders in the path that a site was built for, as in `/group/project/`. */
const MAX_BASE_FOLDERS = 2;
/** Placeholders of template languages. */
const TEMPLATE = /\{\{|\}\}|<%|\$\{/;
/** Matches every reference but a plain file name. */
const MORE_THAN_A_NAME = /[^\w.-]|^\.{0,2}$/;
const ABSOLUTE = /^[\\/](?![\\/])/;
const ENCODED_SLASH = /%2f/i;
const NO_FILES: FolderFiles = new Map();

/** Finds the targets of a page's references. Looks each folder up once, so that the work depends on their own length only. */
export class PageReferences {
  readonly #site: SitePaths;
  readonly #folder: string;
  readonly #ends: readonly number[];
  readonly #root: FolderFiles;
  readonly #ownFolder: TargetFolder | undefined;
  /** Folders by the part of a reference before its last segment; `undefined` if that is not a valid path. */
  readonly #targets: Map<string, TargetFolder | undefined> = new Map();

  constructor(site: SitePaths, page: string) {
    this.#site = site;
    this.#folder = page.slice(0, page.lastIndexOf('/') + 1);
    this.#ends = endsOf(this.#folder);
    this.#root = site.folder('') ?? NO_FILES;
    // Normalizing many combining marks takes too long.
    this.#ownFolder = hasManyMarks(this.#folder) ? undefined : { path: this.#folder, above: false };
  }

  /** Creates the resolver of references relative to a `<base>`; `undefined` if that is outside the site, or unknown. */
  below(base: string): PageReferences | undefined {
    if (NO_BASE.test(base)) return this;
    const folder = this.#find(base)?.folder;
    return folder === undefined || folder.isUnreachable === true
      ? undefined
      : new PageReferences(this.#site, folder.path);
  }

  /** The path of the site's file to which a reference leads, if any. */
  fileOf({ target }: Reference): string | undefined {
    const found = this.#address(target);
    return found === undefined ? undefined : this.#files(found.folder).get(found.name);
  }

  /** The target of a reference, and whether the site has it; `undefined` if it leads outside the site or to the page itself, or is unknown. */
  follow({ target, navigation, isBase }: Reference): Destination | undefined {
    const found = this.#address(target);
    const absolute = ABSOLUTE.test(target) || found?.folder.above === true;
    if (isBase === true) return absolute ? { absolute, ...ANSWERED } : undefined;
    if (found === undefined) return OWN_COMPUTER.test(target) ? { absolute, ...UNANSWERED } : undefined;
    const { folder, name } = found;
    const exact = this.#match({ folder, name });
    const match = name === '' && exact === UNANSWERED ? this.#matchPage(folder.path) : exact;
    const answered = match.answered || (navigation && findFallback(this.#root, name, true).kind === 'file');
    return { absolute, answered, otherCase: match.otherCase };
  }

  /** The path without which a broken reference leads to a file other than the start page, which every site has. */
  basePathOf({ target, base = '' }: Reference): string | undefined {
    const address = ABSOLUTE.test(target) || ABSOLUTE.test(base) ? this.#address(target) : undefined;
    if (address === undefined || address.folder.isUnreachable === true) return undefined;
    const { folder, name } = address;
    const root = endsOf(folder.path)
      .slice(0, MAX_BASE_FOLDERS)
      .find((end) => {
        const path = folder.path.slice(end);
        if (path === '' && (name === '' || name === INDEX)) return false;
        return this.#match({ folder: { path, above: false }, name }).answered;
      });
    return root === undefined ? undefined : `/${folder.path.slice(0, root)}`;
  }

  #address(target: string): Address | undefined {
    if (MORE_THAN_A_NAME.test(target)) return this.#find(target);
    return this.#ownFolder === undefined ? undefined : { folder: this.#ownFolder, name: target };
  }

  #match({ folder, name }: Address): Match {
    const folded = foldPath(name);
    // Without a case-insensitive match there is no exact one, so one lookup suffices for most broken references.
    const anyCase = findAnswer(this.#foldedFiles(folder), folded);
    if (anyCase === undefined) return UNANSWERED;
    if (findAnswer(this.#files(folder), name) !== undefined) return ANSWERED;
    const otherCase = anyCase.kind === 'file' ? anyCase.entry : folder.folded?.get(`${folded}/index.html`);
    return { answered: false, otherCase };
  }

  /** Matches the page to which the server redirects `x/`. */
  #matchPage(path: string): Match {
    const page = pageForFolder(path);
    if (page === undefined) return UNANSWERED;
    const end = page.lastIndexOf('/') + 1;
    const folder = { path: page.slice(0, end), above: false };
    const otherCase = this.#foldedFiles(folder).get(foldPath(page.slice(end)));
    return this.#files(folder).has(page.slice(end)) ? ANSWERED : { answered: false, otherCase };
  }

  #files(folder: TargetFolder): FolderFiles {
    folder.files ??= this.#site.folder(folder.path) ?? NO_FILES;
    return folder.files;
  }

  #foldedFiles(folder: TargetFolder): FolderFiles {
    folder.folded ??= this.#site.foldedFolder(folder.path) ?? NO_FILES;
    return folder.folded;
  }

  /** The folder to which a reference leads, and the decoded name in it; `undefined` if outside the site. */
  #find(target: string): Address | undefined {
    if (NO_FILE_OF_SITE.test(target) || TEMPLATE.test(target)) return undefined;
    const path = target.replace(/[?#].*/s, '').replaceAll('\\', '/');
    const end = path.lastIndexOf('/') + 1;
    const last = path.slice(end);
    const isDots = last === '.' || last === '..';
    const name = decode(isDots ? '' : last);
    if (name === undefined || hasManyMarks(name)) return undefined;
    const folder = this.#targetFolder(isDots ? `${path}/` : path.slice(0, end));
    if (folder === undefined) return undefined;
    return ENCODED_SLASH.test(last)
      ? { folder: unreachable(folder.above), name: last }
      : { folder, name: name.normalize('NFC') };
  }

  #targetFolder(folders: string): TargetFolder | undefined {
    if (!this.#targets.has(folders)) this.#targets.set(folders, this.#resolve(folders));
    return this.#targets.get(folders);
  }

  /** Removes dot segments (RFC 3986, section 5.2.4) and decodes the folders. */
  #resolve(folders: string): TargetFolder | undefined {
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
    const enteredPath = entered.join('');
    const decoded = decode(enteredPath);
    if (decoded === undefined) return undefined;
    if (ENCODED_SLASH.test(enteredPath)) return unreachable(above);
    const folder = `${this.#folder.slice(0, this.#ends[parents - 1] ?? 0)}${decoded}`;
    return hasManyMarks(folder) ? undefined : { path: folder, above };
  }
}

/** The target of a reference with an encoded slash, for which the server finds no file. */
function unreachable(above: boolean): TargetFolder {
  return { path: '', above, isUnreachable: true, files: NO_FILES, folded: NO_FILES };
}

/** Returns a function that finds the resolver for each reference of a file, which has at most one base. */
export function resolverOf(
  site: SitePaths,
  file: string,
): (reference: Pick<Reference, 'base'>) => PageReferences | undefined {
  const ownResolver = new PageReferences(site, file);
  let below: PageReferences | 'unknown' | undefined;
  return ({ base }) => {
    if (base === undefined) return ownResolver;
    below ??= ownResolver.below(base) ?? 'unknown';
    return below === 'unknown' ? undefined : below;
  };
}

function decode(text: string): string | undefined {
  return text.includes('%') ? percentDecoded(text) : text;
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
 * The paths of a site's files by folder, so that the path of a folder is looked up only once for many references.
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

  /** The folder whose path may differ in letter case; its files by {@link foldPath} of their names. */
  foldedFolder(path: string): FolderFiles | undefined {
    this.#folded ??= foldFolders(this.#folders());
    return this.#folded.get(foldPath(path));
  }

  /** Created at the first lookup, since many sites have no references. */
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
    addFile(folders, name.slice(0, end), name.slice(end), path);
  }
  return folders;
}

/** Folds the path of each folder once. */
function foldFolders(folders: Folders): Folders {
  const folded: Folders = new Map();
  for (const [folder, files] of folders) {
    const name = foldPath(folder);
    for (const [file, path] of files) if (!file.includes('/')) addFile(folded, name, foldPath(file), path);
  }
  return folded;
}

/** Adds a file to its folder; a start page to the parent folder, too. */
function addFile(folders: Folders, folder: string, name: string, path: string): void {
  add(folders, folder, name, path);
  if (name !== INDEX || folder === '') return;
  const parentEnd = folder.lastIndexOf('/', folder.length - 2) + 1;
  add(folders, folder.slice(0, parentEnd), folder.slice(parentEnd) + name, path);
}

function add(folders: Folders, folder: string, name: string, path: string): void {
  const files = folders.get(folder);
  if (files === undefined) folders.set(folder, new Map([[name, path]]));
  else files.set(name, path);
}
