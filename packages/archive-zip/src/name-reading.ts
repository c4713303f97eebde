import type { ListedEntry, NameEncoding } from '@pinfold/core';
import {
  type NameReading as Counted,
  isPlausibleName,
  isSystemEntry,
  mayBeAppleDouble,
  readNames,
  siteRoot,
} from '@pinfold/core/adapter';
import { decodeNames } from './code-pages.ts';
import { type PageReferences, resolverOf } from './observe/page-references.ts';
import type { Reference } from './observe/reference-collector.ts';
import { SitePaths } from './observe/site-paths.ts';

interface Site {
  /** The path of each entry in the site. */
  readonly paths: readonly string[];
  /** The files whose names were unknown: others are found in every encoding. */
  readonly files: SitePaths;
}

/** A part of what other characters depend on: half of a pair, or the end of a name that macOS gives. */
const DEPENDENT = /[\ud800-\udfff\r]/;

/** The names of an archive as they are in one encoding, and how many references of its pages lead to them. */
export class NameReading implements Counted {
  readonly encoding: NameEncoding;
  readonly decoded: readonly string[];
  found = 0;
  readonly #unknown: readonly number[];
  readonly #entries: readonly ListedEntry[];
  /** The UTF-16 units that occur in the names. */
  readonly #units: Uint8Array = new Uint8Array(0x1_00_00);
  readonly #used: string;
  /** Made for the first reference that may lead there: for most readings of an archive there is none. */
  #site: Site | undefined;
  #page:
    | { readonly entry: number; readonly resolver: (one: Reference) => PageReferences | undefined }
    | undefined;

  /** @param unknown the entries that `raw` names. */
  constructor(
    encoding: NameEncoding,
    raw: readonly Uint8Array[],
    unknown: readonly number[],
    entries: readonly ListedEntry[],
  ) {
    this.encoding = encoding;
    this.decoded = decodeNames(raw, encoding);
    this.#unknown = unknown;
    this.#entries = entries;
    const used: string[] = [];
    for (const name of this.decoded) {
      for (let at = 0; at < name.length; at += 1) {
        const unit = name.charCodeAt(at);
        if (this.#units[unit] === 1) continue;
        this.#units[unit] = 1;
        used.push(name.charAt(at));
      }
    }
    this.#used = used.join('');
    // References are compared in NFC, in which some characters of these encodings are others.
    for (const character of used) this.#units[character.normalize('NFC').charCodeAt(0)] = 1;
  }

  /** Whether every name may have been written so. Characters are judged once, not in each name. */
  get isPlausible(): boolean {
    if (DEPENDENT.test(this.#used)) return this.decoded.every(isPlausibleName);
    return isPlausibleName(this.#used);
  }

  get backslash(): boolean {
    return this.decoded.some((name) => name.includes('\\'));
  }

  /**
   * Whether a reference of a page leads to one of these files; pages come one after the other.
   * @param text the target decoded, in NFC.
   */
  answers(page: number, reference: Reference, text: string): boolean {
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      if (unit >= 0x80 && this.#units[unit] === 0) return false;
    }
    if (this.#page?.entry !== page) this.#page = { entry: page, resolver: this.#resolverOf(page) };
    const answer = this.#page.resolver(reference)?.follow({ ...reference, navigation: false });
    return answer?.answered === true;
  }

  #resolverOf(page: number): (one: Reference) => PageReferences | undefined {
    this.#site ??= this.#siteOf();
    return resolverOf(this.#site.files, this.#site.paths[page] ?? '');
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
    const root = siteRoot(own) ?? '';
    const paths = read.map((name = '') => (name.startsWith(root) ? name.slice(root.length) : name));
    const files = this.#unknown.flatMap((index) => {
      const path = paths[index] ?? '';
      return path === '' || path.endsWith('/') ? [] : [path];
    });
    return { paths, files: new SitePaths(files) };
  }
}
