import type { FollowedReference } from '@pinfold/core';
import { foldPath, MAX_WARNINGS } from '@pinfold/core/adapter';
import { type Destination, resolverOf } from './page-references.ts';
import { isScript } from './script-findings.ts';

/** A reference to another file that a page, a style sheet, a module or a manifest makes. */
export interface Reference {
  /** The attribute's value, with character references resolved as far as URLs need it. */
  readonly target: string;
  /** Whether following it is a navigation (a link), rather than loading a part of the page. */
  readonly navigation: boolean;
  /** The `href` of the page's `<base>`, if the target is relative to it. */
  readonly base?: string;
  /** The reference is the `<base>` itself, which loads nothing. */
  readonly isBase?: true;
  /** The reference loads a module. */
  readonly isModule?: true;
}

/** How much work a search of one file may take. */
export interface ObservationBounds {
  /** Characters compared to read and to follow references. */
  readonly work: number;
  /** Called now and then; throws to end the search. */
  readonly checkpoint?: () => void;
}

/** Cost of a tag without a new reference, in characters. */
const TAG_COST = 8;
/** Cost of reading, looking up and judging a reference, in characters, without its own. */
const REFERENCE_COST = 48;
/** A slash in any form: the reference may lead into another folder. */
const SLASH = /[\\/%]/;
const FOLDERS = /^.*[\\/%]/s;
/** Costs, and references, between two calls of `checkpoint`. */
const CHECK_EVERY = 256;

/** Collects the references of one file, each once, until they cost more work than the bounds allow. */
export class ReferenceCollector {
  /** Whether there was enough work for all. */
  whole = true;
  readonly #file: string;
  readonly #checkpoint: (() => void) | undefined;
  readonly #references: Reference[] = [];
  readonly #seen = new Set<string>();
  readonly #folders = new Set<string>();
  #left: number;
  #steps = 0;
  #base: string | undefined;

  constructor(file: string, { work, checkpoint }: ObservationBounds) {
    this.#file = file;
    this.#left = work;
    this.#checkpoint = checkpoint;
  }

  /** Parts of the page that stand before its `<base>` were loaded without it; links are followed later. */
  references(): readonly Reference[] {
    const base = this.#base;
    if (base === undefined) return this.#references;
    return this.#references.map((reference) => (reference.navigation ? { ...reference, base } : reference));
  }

  /** The `href` of the page's first `<base>`, by which what follows is resolved. */
  setBase(href: string): boolean {
    this.#base = href;
    return this.add(href, { navigation: false, isBase: true });
  }

  get hasBase(): boolean {
    return this.#base !== undefined;
  }

  /** Takes the cost of reading so many characters from what is left. Returns whether there was as much. */
  spend(characters: number): boolean {
    this.#steps += 1;
    if (this.#steps % CHECK_EVERY === 0) this.#checkpoint?.();
    this.#left -= characters;
    if (this.#left < 0) this.whole = false;
    return this.whole;
  }

  /**
   * @param value as the file has it: what came before costs little.
   * @param target as a URL parser takes it; empty for none.
   */
  add(target: string, kind: Omit<Reference, 'target' | 'base'>, value: string = target): boolean {
    const isNew = target !== '' && !this.#seen.has(value);
    if (!this.spend(isNew ? this.#costOf(target) : TAG_COST)) return false;
    this.#seen.add(value);
    const base = kind.isBase === true ? undefined : this.#base;
    if (isNew) this.#references.push({ target, ...kind, ...(base !== undefined && { base }) });
    return true;
  }

  /** The first reference into a folder costs twice the length of the file's path, too: it may lead to a page of that name. */
  #costOf(target: string): number {
    const cost = REFERENCE_COST + target.length;
    const folders = SLASH.test(target) ? FOLDERS.exec(target)?.[0] : undefined;
    if (folders === undefined || this.#folders.has(folders)) return cost;
    this.#folders.add(folders);
    return cost + 2 * (this.#file.length + (this.#base?.length ?? 0));
  }
}

/** The warning that a reference can become; which one depends on how the site is served. */
type Sort = 'nothing' | 'absolute' | `${'absolute ' | ''}${'unanswered' | 'other case'}`;
/** Those of scripts are counted apart: they become warnings only if a page loads the script as a module. */
type CountedSort = Sort | `module ${Sort}`;

/**
 * Selects the references of a site's pages that may become a warning, 20 of each sort. The pages of a large site refer
 * to one another 100,000 times, and an answer has at most 20 warnings.
 *
 * @example
 * import { observe, ReferenceSieve, SitePaths } from '@pinfold/archive-zip/observe';
 *
 * const sieve = new ReferenceSieve(new SitePaths(['index.html']));
 * const { references } = observe('index.html', '<img src="logo.png">');
 * const followed = sieve.sift('index.html', references);
 */
export class ReferenceSieve {
  readonly #site: SitePaths;
  readonly #checkpoint: (() => void) | undefined;
  readonly #loaded = new Set<string>();
  readonly #passed: Map<CountedSort, number> = new Map();

  /** @param look called now and then; throws to end the work. */
  constructor(site: SitePaths, checkpoint?: () => void) {
    this.#site = site;
    this.#checkpoint = checkpoint;
  }

  /** The references of a file that no file answers exactly, and those that lead out of a site under a path. */
  sift(file: string, references: readonly Reference[]): readonly FollowedReference[] {
    const referencesOf = resolverOf(this.#site, file);
    return references.flatMap((reference, index) => {
      if (index % CHECK_EVERY === 0) this.#checkpoint?.();
      const destination = referencesOf(reference)?.follow(reference);
      if (destination === undefined) return [];
      const sort = sortOf(destination);
      if (sort === 'nothing' || !this.#passes(isScript(file) ? `module ${sort}` : sort)) return [];
      return { target: reference.target, ...destination };
    });
  }

  /** The scripts that a file loads as modules; of pages only those that no page before loads. */
  modules(file: string, references: readonly Reference[]): readonly string[] {
    const referencesOf = resolverOf(this.#site, file);
    const paths = references.flatMap((reference) =>
      reference.isModule === true ? (referencesOf(reference)?.fileOf(reference) ?? []) : [],
    );
    const further = paths.filter((path) => !this.#loaded.has(path));
    if (!isScript(file)) for (const path of further) this.#loaded.add(path);
    return [...new Set(further)];
  }

  #passes(sort: CountedSort): boolean {
    const passed = this.#passed.get(sort) ?? 0;
    this.#passed.set(sort, passed + 1);
    return passed < MAX_WARNINGS;
  }
}

function sortOf({ absolute, answered, otherCase }: Destination): Sort {
  if (answered && otherCase === undefined) return absolute ? 'absolute' : 'nothing';
  const doubt = otherCase === undefined ? 'unanswered' : 'other case';
  return absolute ? `absolute ${doubt}` : doubt;
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
