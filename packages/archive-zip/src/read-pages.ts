import type { ListedEntry } from '@pinfold/core';
import { isSystemEntry, mayBeAppleDouble, type PageLabels } from '@pinfold/core/adapter';
import { readFully } from './archive-source.ts';
import { inflateWhole, type PieceSource } from './entry-data.ts';
import { isReadable } from './entry-headers.ts';
import { decodePage, decodeReference, utf16Text } from './name-decoding.ts';
import { readLinks } from './observe/page-reader.ts';
import { type Reference, ReferenceCollector } from './observe/reference-collector.ts';
import { isPage } from './observe/script-findings.ts';

/** A page of an archive, read before the encoding of its entries' names is known. */
export interface ReadPage extends PageLabels {
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
export function* pagesOf(entries: readonly ListedEntry[], source: PieceSource): Generator<ReadPage> {
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
