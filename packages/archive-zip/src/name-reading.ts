import type { ListedEntry, NameEncoding } from '@pinfold/core';
import {
  type NameReading as Counted,
  isSystemEntry,
  mayBeAppleDouble,
  readNames,
  siteRoot,
} from '@pinfold/core/adapter';
import { PageReferences } from './observe/page-references.ts';
import { SitePaths } from './observe/site-paths.ts';

interface Site {
  /** The path of each entry in the site. */
  readonly paths: readonly string[];
  /** The files whose names were unknown: others are found in every encoding. */
  readonly files: SitePaths;
}

/** The names of an archive as they are in one encoding, and how many references of its pages lead to them. */
export class NameReading implements Counted {
  readonly encoding: NameEncoding;
  readonly decoded: readonly string[];
  found = 0;
  readonly #unknown: readonly number[];
  readonly #entries: readonly ListedEntry[];
  /** Made for the first reference: many archives have none to these files. */
  #site: Site | undefined;
  #page: { readonly entry: number; readonly references: PageReferences } | undefined;

  /** @param unknown the entries that `decoded` names. */
  constructor(
    encoding: NameEncoding,
    decoded: readonly string[],
    unknown: readonly number[],
    entries: readonly ListedEntry[],
  ) {
    this.encoding = encoding;
    this.decoded = decoded;
    this.#unknown = unknown;
    this.#entries = entries;
  }

  get backslash(): boolean {
    return this.decoded.some((name) => name.includes('\\'));
  }

  /** Counts a reference of a page if it leads to a file; pages come one after the other. */
  follow(page: number, target: string): void {
    if (this.#page?.entry !== page) this.#page = { entry: page, references: this.#referencesOf(page) };
    if (this.#page.references.follow({ target, navigation: false })?.answered === true) this.found += 1;
  }

  #referencesOf(page: number): PageReferences {
    this.#site ??= this.#siteOf();
    return new PageReferences(this.#site.files, this.#site.paths[page] ?? '');
  }

  #siteOf(): Site {
    const names = this.#entries.map(({ name, host }) => ({ name, host }));
    for (const [at, index] of this.#unknown.entries()) {
      names[index] = { name: this.decoded[at] as string, host: names[index]?.host ?? -1 };
    }
    const read = readNames(names);
    const own = read.filter(
      (name) => name !== undefined && !isSystemEntry(name) && !mayBeAppleDouble(name),
    ) as string[];
    const root = siteRoot(own.map((name) => ({ name, isFolder: name.endsWith('/') }))) ?? '';
    const paths = read.map((name = '') => (name.startsWith(root) ? name.slice(root.length) : name));
    const files = this.#unknown.flatMap((index) => {
      const path = paths[index] ?? '';
      return path === '' || path.endsWith('/') ? [] : [path];
    });
    return { paths, files: new SitePaths(files) };
  }
}
