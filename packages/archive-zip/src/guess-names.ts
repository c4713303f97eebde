import type { GuessedNames, ListedEntry } from '@pinfold/core';
import { chooseNameEncoding, NAME_ENCODINGS, type PageLabels } from '@pinfold/core/adapter';
import type { CentralHeader } from './central-header.ts';
import { decodeNames } from './code-pages.ts';
import type { PieceSource } from './entry-data.ts';
import type { EntryName, EntryNames } from './entry-name.ts';
import { NameReading } from './name-reading.ts';
import { pagesOf, type ReadPage } from './read-pages.ts';

/** The most work to find out an encoding: characters of names and pages, and of references in each encoding. */
const WORK = 5_242_880;
/** Cost of following a reference in one encoding, in characters, without its own. */
const REFERENCE_COST = 96;
/** Cost of one that was followed from the same folder before. */
const REPEATED_COST = 8;
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
    const reading = new NameReading(encoding, raw, unknown, entries);
    if (reading.isPlausible) readings.push(reading);
  }
  const { labels, whole } = compare(readings, entries, pagesOf(entries, source));
  const encoding = chooseNameEncoding(readings, labels);
  const chosen = readings.find((reading) => reading.encoding === encoding);
  const decoded = chosen?.decoded ?? decodeNames(raw, encoding);
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
  let left = WORK - characters * readings.length;
  let labels: PageLabels | undefined;
  let whole = true;
  /** The readings that answer a reference from a folder: the pages of a site mostly have the same links. */
  const answers = new Map<string, readonly NameReading[]>();
  for (const page of pages) {
    labels ??= page;
    left -= page.size;
    whole &&= page.whole;
    const folder = folderOf(entries[page.entry]?.name ?? '');
    for (const reference of page.references) {
      const { target, base = '' } = reference;
      // Whatever the encoding, such a reference leads to the same file.
      if (ASCII.test(target)) continue;
      const key = `${folder}\n${base}\n${target}`;
      let answering = answers.get(key);
      left -= answering ? REPEATED_COST : (REFERENCE_COST + base.length + target.length) * readings.length;
      if (left < 0) break;
      const text = textOf(target);
      answering ??= readings.filter((reading) => reading.answers(page.entry, reference, text));
      answers.set(key, answering);
      for (const reading of answering) reading.found += 1;
    }
    if (left < 0) return { labels, whole: false };
  }
  return { labels: labels ?? {}, whole };
}

/** The path of a reference decoded; empty where it is no UTF-8, and leads to no file. */
function textOf(target: string): string {
  try {
    return decodeURIComponent(target.replace(/[?#].*/s, '')).normalize('NFC');
  } catch (error) {
    if (error instanceof URIError) return '';
    throw error;
  }
}

function folderOf(name: string): string {
  return name.slice(0, name.lastIndexOf('/') + 1);
}
