import type { GuessedNames, ListedEntry, NameEncoding } from '@pinfold/core';
import {
  chooseNameEncoding,
  hasManyMarks,
  isPlausibleName,
  isSystemEntry,
  mayBeAppleDouble,
  NAME_ENCODINGS,
  type NameReading,
  normalizeNames,
  type PageLabels,
  siteRoot,
} from '@pinfold/core/adapter';
import { percentDecoded } from '@pinfold/core/internal';
import { readFully } from './archive-source.ts';
import { inflateWhole, type PieceSource } from './entry-data.ts';
import { type CentralHeader, isReadable } from './entry-headers.ts';
import type { EntryName, EntryNames } from './entry-name.ts';
import { decodeNames, decodePage, decodeReference, utf16Text } from './name-decoding.ts';
import { readLinks } from './observe/page-reader.ts';
import { type PageReferences, resolverOf, SitePaths } from './observe/page-references.ts';
import { type Reference, ReferenceCollector } from './observe/reference-collector.ts';
import { isPage } from './observe/script-findings.ts';

/** Bounds the work to find an encoding, in characters of names, of pages, and of references in each encoding. */
const MAX_WORK = 5_242_880;
/** Cost of following a reference in one encoding, in characters, in addition to its own. */
const REFERENCE_COST = 96;
/** Cost of a reference that was followed from the same folder before. */
const REPEATED_COST = 8;
const ASCII = /^(?:[\0-\x24\x26-\x7f]|%[0-7][\da-f])*$/i;

/** Decodes names in an unknown encoding: chooses the one in which most references of the pages lead to files. */
export function guessNames(
  entries: readonly ListedEntry[],
  headers: readonly CentralHeader[],
  { names, unknown }: EntryNames,
  source: PieceSource,
): { readonly names: readonly EntryName[]; readonly guessed: GuessedNames } {
  const raw = unknown.map((index) => (headers[index] as CentralHeader).rawName);
  const readings: DecodedNames[] = [];
  for (const encoding of NAME_ENCODINGS) {
    source.control.throwIfStopped();
    const reading = new DecodedNames(encoding, raw, unknown, entries);
    if (reading.isPlausible) readings.push(reading);
  }
  const { labels, whole } = countReferences(readings, entries, pagesOf(entries, source));
  const encoding = chooseNameEncoding(readings, labels);
  const chosen = readings.find((reading) => reading.encoding === encoding);
  const decoded = chosen?.decoded ?? decodeNames(raw, encoding);
  const all = [...names];
  for (const [at, index] of unknown.entries()) {
    all[index] = { ...(names[index] as EntryName), name: decoded[at] as string };
  }
  return { names: all, guessed: { encoding, first: unknown[0] as number, whole } };
}

/** Counts the references that lead to files in each reading, page by page, until the work is used up. */
function countReferences(
  readings: readonly DecodedNames[],
  entries: readonly ListedEntry[],
  pages: Iterable<ReadPage>,
): { readonly labels: PageLabels; readonly whole: boolean } {
  const characters = entries.reduce((sum, { name }) => sum + name.length, 0);
  let left = MAX_WORK - characters * readings.length;
  let labels: PageLabels | undefined;
  let whole = true;
  /** A cache by folder of the readings in which a reference leads to a file: pages of a site share most links. */
  const byFolder = new Map<string, Map<string, readonly DecodedNames[]>>();
  for (const page of pages) {
    labels ??= page;
    left -= page.size;
    whole &&= page.whole;
    const folder = folderOf(entries[page.entry]?.name ?? '');
    // Keys with the folder, which can have 65,535 bytes, would take its length in time and memory for each reference.
    const resolvingReadings = byFolder.get(folder) ?? new Map<string, readonly DecodedNames[]>();
    byFolder.set(folder, resolvingReadings);
    for (const reference of page.references) {
      const { target, base = '' } = reference;
      // ASCII references lead to the same file in every encoding.
      if (ASCII.test(target)) continue;
      const key = `${base}\n${target}`;
      let resolving = resolvingReadings.get(key);
      left -= resolving ? REPEATED_COST : (REFERENCE_COST + base.length + target.length) * readings.length;
      if (left < 0) break;
      const path = pathOf(target);
      resolving ??= readings.filter((reading) => reading.resolves(page.entry, reference, path));
      resolvingReadings.set(key, resolving);
      for (const reading of resolving) reading.found += 1;
    }
    if (left < 0) return { labels, whole: false };
  }
  return { labels: labels ?? {}, whole };
}

/** The decoded path of a reference; empty if it is not UTF-8 or takes long to normalize, and so leads to no file. */
function pathOf(target: string): string {
  const path = percentDecoded(target.replace(/[?#].*/s, '')) ?? '';
  return hasManyMarks(path) ? '' : path.normalize('NFC');
}

function folderOf(name: string): string {
  return name.slice(0, name.lastIndexOf('/') + 1);
}

interface Site {
  /** The path of each entry in the site. */
  readonly paths: readonly string[];
  /** The files whose names are in the unknown encoding; references find the others in every encoding. */
  readonly files: SitePaths;
}

/** Characters that cannot be judged alone: a half of a surrogate pair, or the carriage return in macOS's `Icon` files. */
const DEPENDENT_CHARACTERS = /[\ud800-\udfff\r]/;

/** The names of an archive decoded in one encoding, and the number of references of its pages that lead to them. */
class DecodedNames implements NameReading {
  readonly encoding: NameEncoding;
  readonly decoded: readonly string[];
  found = 0;
  readonly #unknown: readonly number[];
  readonly #entries: readonly ListedEntry[];
  /** The UTF-16 units that occur in the names. */
  readonly #units: Uint8Array = new Uint8Array(0x1_00_00);
  readonly #used: string;
  /** Created for the first reference that may lead to one of the files: most readings have none. */
  #site: Site | undefined;
  #page:
    | { readonly entry: number; readonly resolver: (reference: Reference) => PageReferences | undefined }
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
    // References are compared in NFC, which replaces some characters of these encodings.
    for (const character of used) this.#units[character.normalize('NFC').charCodeAt(0)] = 1;
  }

  /** Whether every name may be in this encoding. Checks each character once, for all names. */
  get isPlausible(): boolean {
    if (DEPENDENT_CHARACTERS.test(this.#used)) return this.decoded.every(isPlausibleName);
    return isPlausibleName(this.#used);
  }

  get backslash(): boolean {
    return this.decoded.some((name) => name.includes('\\'));
  }

  /**
   * Whether a reference of a page leads to one of these files; pages come one after the other.
   * @param path the decoded path of the target, in NFC.
   */
  resolves(page: number, reference: Reference, path: string): boolean {
    for (let at = 0; at < path.length; at += 1) {
      const unit = path.charCodeAt(at);
      if (unit >= 0x80 && this.#units[unit] === 0) return false;
    }
    if (this.#page?.entry !== page) this.#page = { entry: page, resolver: this.#resolverOf(page) };
    const answer = this.#page.resolver(reference)?.follow({ ...reference, navigation: false });
    return answer?.answered === true;
  }

  #resolverOf(page: number): (reference: Reference) => PageReferences | undefined {
    this.#site ??= this.#siteOf();
    return resolverOf(this.#site.files, this.#site.paths[page] ?? '');
  }

  #siteOf(): Site {
    const names = this.#entries.map(({ name, host }) => ({ name, host }));
    for (const [at, index] of this.#unknown.entries()) {
      names[index] = { name: this.decoded[at] as string, host: names[index]?.host ?? -1 };
    }
    const normalized = normalizeNames(names);
    const siteNames = normalized.filter(
      (name) => name !== undefined && !isSystemEntry(name) && !mayBeAppleDouble(name),
    ) as string[];
    const root = siteRoot(siteNames) ?? '';
    const paths = normalized.map((name = '') => (name.startsWith(root) ? name.slice(root.length) : name));
    const files = this.#unknown.flatMap((index) => {
      const path = paths[index] ?? '';
      return path === '' || path.endsWith('/') ? [] : [path];
    });
    return { paths, files: new SitePaths(files) };
  }
}

/** A page of an archive, read before the encoding of its entries' names is known. */
interface ReadPage extends PageLabels {
  readonly entry: number;
  /** The values of its `href` and `src`, in the order of the page, each once. */
  readonly references: readonly Reference[];
  /** Its size in bytes. */
  readonly size: number;
  /** Whether all of its references were read. */
  readonly whole: boolean;
}

const MAX_PAGE_BYTES = 4_194_304;
/** The maximum work to read the references of one page, in characters. */
const PAGE_WORK = 4_194_304;
/** A page declares its encoding in these bytes (HTML, section 4.2.5.5), and mostly its language. */
const HEAD_BYTES = 1_024;
const META = /<meta\s[^>]*/gi;
const CHARSET = /\bcharset\s{0,9}=\s{0,9}["']?\s{0,9}([\w:.+-]{1,64})/i;
const HTML = /<html\s[^>]*/gi;
const LANG = /\s(?:xml:)?lang\s{0,9}=\s{0,9}["']?([a-z\d-]{1,64})/i;

/** Yields the readable pages of an archive, in the directory's order; skips pages over 4 MiB. */
function* pagesOf(entries: readonly ListedEntry[], source: PieceSource): Generator<ReadPage> {
  for (const [index, entry] of entries.entries()) {
    source.control.throwIfStopped();
    if (!isPage(entry.name) || isSystemEntry(entry.name) || mayBeAppleDouble(entry.name)) continue;
    const bytes = pageBytes(entry, source);
    if (bytes !== undefined) yield readPage(index, entry, bytes, source);
  }
}

function pageBytes(entry: ListedEntry, { archive }: PieceSource): Buffer | undefined {
  const { method, compressedSize, size, dataOffset } = entry;
  if (!isReadable(entry) || Math.max(size, compressedSize) > MAX_PAGE_BYTES) return undefined;
  const bytes = readFully(archive, Buffer.allocUnsafe(compressedSize), dataOffset);
  if (method === 0) return bytes;
  const data = inflateWhole(bytes, size);
  return typeof data === 'string' ? undefined : data.bytes;
}

function readPage(index: number, entry: ListedEntry, bytes: Buffer, { control }: PieceSource): ReadPage {
  const utf16 = utf16Text(bytes);
  const head = (utf16 ?? bytes.toString('latin1', 0, HEAD_BYTES)).slice(0, HEAD_BYTES);
  const charset = utf16 === undefined ? valueIn(head, META, CHARSET) : undefined;
  const text = utf16 ?? decodePage(bytes, charset);
  const bounds = { work: PAGE_WORK, checkpoint: () => control.throwIfStopped() };
  const collector = new ReferenceCollector(entry.name, bounds);
  readLinks(text, collector);
  const links = collector.references().filter(({ isBase }) => isBase !== true);
  return {
    entry: index,
    charset,
    lang: valueIn(head, HTML, LANG),
    references: links.map((link) => ({ ...link, target: decodeReference(link.target, charset) })),
    size: bytes.length,
    whole: collector.whole,
  };
}

/** The value of an attribute in the first such tag that has it. */
function valueIn(head: string, tag: RegExp, attribute: RegExp): string | undefined {
  for (const [found] of head.matchAll(tag)) {
    const value = attribute.exec(found)?.[1];
    if (value !== undefined) return value;
  }
  return undefined;
}
