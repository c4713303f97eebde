import type { ArchiveListing, ArchiveProblem, ListedEntry } from '@pinfold/core';
import { isAppleDouble, mayBeAppleDouble, ProblemList } from '@pinfold/core/adapter';
import { type ArchiveSource, StagedFile } from './archive-source.ts';
import { readDirectory } from './central-directory.ts';
import { type EndRecord, findEndRecord } from './end-record.ts';
import { type PieceSource, readPieces } from './entry-data.ts';
import {
  type CentralHeader,
  entryProblems,
  isReadable,
  type NamedHeader,
  nameHeaders,
  STRUCTURE_RULES,
  toListedEntry,
} from './entry-headers.ts';
import { entryNames } from './entry-name.ts';
import type { ProofControl } from './jobs.ts';
import { readLayout } from './layout.ts';
import { differsFromLibrary, hasSingleReading } from './library-comparison.ts';
import { guessNames } from './name-reading.ts';

const DIRECTORY_WINDOW = 131_072;
/** Used for local headers that are far apart: a large window would read the whole archive. */
const HEADER_WINDOW = 4_096;

/**
 * Reads structure, names and headers of an archive, and reports every broken rule that is visible only in its bytes. Reads
 * the structure first: decoding names may need the pages, which it reads only if the structure can be trusted.
 */
export async function listArchive(
  archive: ArchiveSource,
  maxEntries: number,
  control: ProofControl,
): Promise<ArchiveListing> {
  const file = new StagedFile(archive, DIRECTORY_WINDOW);
  const { end, problems } = findEndRecord(file);
  if (end === undefined) return { entries: [], problems, trusted: false };
  const directory = readDirectory(file, end, maxEntries, control);
  const { headers } = directory;
  // Problems name an entry by its index until the names are decoded; `withPath` replaces it.
  const placed = headers.map((header, index) => ({ header, path: String(index) }));
  const problemList = new ProblemList();
  problemList.add([...problems, ...directory.problems]);
  const isAtItsOffset = directory.begin === end.directoryOffset;
  const localFile = new StagedFile(archive, headerWindow(archive, headers));
  const locals = isAtItsOffset ? readLayout(localFile, placed, directory.begin, problemList, control) : [];
  const localFields = locals.map((local) => local?.fields);
  const raw = entryNames(headers, localFields);
  for (const [index, entry] of placed.entries()) {
    problemList.add(entryProblems({ ...entry, badEncoding: raw.names[index]?.badEncoding }, locals[index]));
  }
  let trusted = !STRUCTURE_RULES.some((rule) => problemList.has(rule));
  if (trusted && !hasSingleReading(file, end, headers) && (await hasSecondReading(archive, end, headers))) {
    problemList.add([{ rule: 'ambiguous_structure', reason: 'directory_ambiguous' }]);
    trusted = false;
  }
  const source: PieceSource = { archive, control };
  const unnamed = nameHeaders(headers, raw.names);
  const listed = () => unnamed.map((entry, index) => toListedEntry(entry, locals[index]));
  const guess = trusted && raw.unknown.length > 0 ? guessNames(listed(), headers, raw, source) : undefined;
  const named = guess === undefined ? unnamed : nameHeaders(headers, guess.names);
  const entries: ListedEntry[] = [];
  for (const [index, entry] of named.entries()) {
    const plain = toListedEntry(entry, locals[index]);
    const isApple =
      trusted &&
      mayBeAppleDouble(entry.path) &&
      isReadable(plain) &&
      (await beginsAsAppleDouble(plain, source));
    entries.push(isApple ? { ...plain, appleDouble: true } : plain);
  }
  return {
    entries,
    problems: problemList.listed.map((problem) => withPath(problem, named)),
    omitted: problemList.omitted,
    trusted,
    ...(guess !== undefined && { guessed: guess.guessed }),
  };
}

/** A large window if entries are small, so that many local headers fit into it. */
function headerWindow({ size }: ArchiveSource, headers: readonly CentralHeader[]): number {
  return size / headers.length < HEADER_WINDOW ? DIRECTORY_WINDOW : HEADER_WINDOW;
}

/** Bytes read and inflated at once to find the magic number of AppleDouble. */
const PIECE_BYTES = 1_024;

async function beginsAsAppleDouble(entry: ListedEntry, source: PieceSource): Promise<boolean> {
  source.control.throwIfStopped();
  let beginning = Buffer.alloc(0);
  const isShort = (piece: Buffer): boolean => {
    beginning = Buffer.concat([beginning, piece]);
    return beginning.length < 4;
  };
  await readPieces(entry, source, isShort, PIECE_BYTES);
  return isAppleDouble(beginning);
}

/** Replaces the index of an entry by its path. */
function withPath(problem: ArchiveProblem, named: readonly NamedHeader[]): ArchiveProblem {
  if (!('path' in problem) || problem.path === undefined) return problem;
  return { ...problem, path: named[Number(problem.path)]?.path ?? '' };
}

/** Whether a library reads another directory. Skips Zip64 records, some of which make the library throw asynchronously. */
async function hasSecondReading(
  archive: ArchiveSource,
  end: EndRecord,
  headers: readonly CentralHeader[],
): Promise<boolean> {
  const isZip64 = end.directoryEnd !== end.at;
  return !isZip64 && headers.length > 0 && (await differsFromLibrary(archive, headers));
}
