import type { GuessedNames, ListedEntry, NameEncoding } from '@pinfold/core';
import { chooseNameEncoding, isPlausibleName, NAME_ENCODINGS, type PageLabels } from '@pinfold/core/adapter';
import type { CentralHeader } from './central-header.ts';
import { decodeNames } from './code-pages.ts';
import type { PieceSource } from './entry-data.ts';
import type { EntryName, EntryNames } from './entry-name.ts';
import { NameReading } from './name-reading.ts';
import { pagesOf, type ReadPage } from './read-pages.ts';

/** The most work to find out an encoding: characters of names and pages, and of references in each encoding. */
const WORK = 5_242_880;
/** Cost of following a reference in one encoding, in characters, without its own. */
const REFERENCE_COST = 48;
/** Names take a fraction of the time that pages of as many characters take. */
const NAME_SHARE = 0.25;
const ASCII = /^(?:[\0-\x24\x26-\x7f]|%[0-7][\da-f])*$/i;

export interface NamesRead {
  readonly names: readonly EntryName[];
  readonly guessed: GuessedNames;
}

/** Decodes the names of an archive whose encoding nothing tells: the one by which the pages' references are found. */
export function guessNames(
  entries: readonly ListedEntry[],
  headers: readonly CentralHeader[],
  { names, unknown }: EntryNames,
  source: PieceSource,
): NamesRead {
  const raw = unknown.map((index) => (headers[index] as CentralHeader).rawName);
  const readings: NameReading[] = [];
  for (const encoding of NAME_ENCODINGS) {
    source.control.throwIfStopped();
    const decoded = decodeNames(raw, encoding);
    if (decoded.every(isPlausibleName)) readings.push(new NameReading(encoding, decoded, unknown, entries));
  }
  const { labels, whole } = compare(readings, entries, pagesOf(entries, source));
  const encoding: NameEncoding = chooseNameEncoding(readings, labels);
  const decoded =
    readings.find((reading) => reading.encoding === encoding)?.decoded ?? decodeNames(raw, encoding);
  const all = [...names];
  for (const [at, index] of unknown.entries()) {
    all[index] = { ...(names[index] as EntryName), name: decoded[at] as string };
  }
  return { names: all, guessed: { encoding, first: unknown[0] as number, whole } };
}

/** Counts the references that each reading answers, page by page, as long as there is work left. */
function compare(
  readings: readonly NameReading[],
  entries: readonly ListedEntry[],
  pages: Iterable<ReadPage>,
): { readonly labels: PageLabels; readonly whole: boolean } {
  const characters = entries.reduce((sum, { name }) => sum + name.length, 0);
  let left = WORK - characters * readings.length * NAME_SHARE;
  let labels: PageLabels | undefined;
  let whole = true;
  for (const page of pages) {
    labels ??= page;
    left -= page.size;
    whole &&= page.whole;
    for (const target of page.targets) {
      // Whatever the encoding, such a reference leads to the same file.
      if (ASCII.test(target)) continue;
      left -= (REFERENCE_COST + target.length) * readings.length;
      if (left < 0) break;
      for (const reading of readings) reading.follow(page.entry, target);
    }
    if (left < 0) return { labels, whole: false };
  }
  return { labels: labels ?? {}, whole };
}
