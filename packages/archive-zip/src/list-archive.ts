import type { ArchiveListing, ArchiveProblem, ListedEntry } from '@pinfold/core';
import { isAppleDouble, mayBeAppleDouble, ProblemList } from '@pinfold/core/adapter';
import { type ArchiveSource, StagedFile } from './archive-source.ts';
import { readDirectory } from './central-directory.ts';
import { type EndRecord, findEnd } from './end-record.ts';
import { type PieceSource, readPieces } from './entry-data.ts';
import {
  type CentralHeader,
  entryProblems,
  isReadable,
  listed,
  type NamedHeader,
  nameHeaders,
  STRUCTURE,
} from './entry-headers.ts';
import { entryNames } from './entry-name.ts';
import { readLayout } from './layout.ts';
import { isReadOneWay, readsOtherwise } from './library-walk.ts';
import { guessNames } from './name-reading.ts';
import type { ProofControl } from './prove-entries.ts';

/** Far more than the magic number, and enough to begin any deflate stream. */
const PIECE = 1_024;

/** Whether an entry is a file `._x` whose data begin as those of AppleDouble. One that cannot be inflated is not. */
export async function isAppleDoubleEntry(
  path: string,
  entry: ListedEntry,
  source: PieceSource,
): Promise<boolean> {
  if (!mayBeAppleDouble(path) || !isReadable(entry)) return false;
  source.control.throwIfStopped();
  let beginning = Buffer.alloc(0);
  await readPieces(
    entry,
    source,
    (piece) => {
      beginning = Buffer.concat([beginning, piece]);
      return beginning.length < 4;
    },
    PIECE,
  );
  return isAppleDouble(beginning);
}

const DIRECTORY_WINDOW = 131_072;
/** Where local headers lie apart, a wide window would read the whole archive. */
const HEADER_WINDOW = 4_096;

/**
 * Reads structure, names and headers of an archive, and reports every rule that only its bytes can tell. The structure
 * comes first: names may depend on the pages, which are read only where it can be trusted.
 */
export async function listArchive(
  archive: ArchiveSource,
  maxEntries: number,
  control: ProofControl,
): Promise<ArchiveListing> {
  const file = new StagedFile(archive, DIRECTORY_WINDOW);
  const { end, problems } = findEnd(file);
  if (end === undefined) return { entries: [], problems, trusted: false };
  const directory = readDirectory(file, end, maxEntries, control);
  const { headers } = directory;
  // As long as names are unknown, an entry's place in the directory stands for its path.
  const placed = headers.map((header, index) => ({ header, path: String(index) }));
  const found = new ProblemList();
  found.add([...problems, ...directory.problems]);
  const locals =
    directory.begin === end.directoryOffset
      ? readLayout(
          new StagedFile(archive, headerWindow(archive, headers)),
          placed,
          directory.begin,
          found,
          control,
        )
      : [];
  const read = entryNames(
    headers,
    locals.map((local) => local?.fields),
  );
  for (const [index, entry] of placed.entries()) {
    found.add(entryProblems({ ...entry, wrong: read.names[index]?.wrong }, locals[index]));
  }
  let trusted = !STRUCTURE.some((rule) => found.has(rule));
  if (trusted && !isReadOneWay(file, end, headers) && (await isReadOtherwise(archive, end, headers))) {
    found.add([{ rule: 'ambiguous_structure', reason: 'two_readings' }]);
    trusted = false;
  }
  const source: PieceSource = { archive, control };
  const unnamed = nameHeaders(headers, read.names);
  const guess =
    trusted && read.unknown.length > 0
      ? guessNames(
          unnamed.map((entry, index) => listed(entry, locals[index])),
          headers,
          read,
          source,
        )
      : undefined;
  const named = guess === undefined ? unnamed : nameHeaders(headers, guess.names);
  const entries: ListedEntry[] = [];
  for (const [index, entry] of named.entries()) {
    const plain = listed(entry, locals[index]);
    const isApple = trusted && (await isAppleDoubleEntry(entry.path, plain, source));
    entries.push(isApple ? { ...plain, appleDouble: true } : plain);
  }
  return {
    entries,
    problems: found.listed.map((problem) => withPath(problem, named)),
    omitted: found.omitted,
    trusted,
    ...(guess !== undefined && { guessed: guess.guessed }),
  };
}

/** A window with many local headers, where those of small entries lie close together. */
function headerWindow({ size }: ArchiveSource, headers: readonly CentralHeader[]): number {
  return size / headers.length < HEADER_WINDOW ? DIRECTORY_WINDOW : HEADER_WINDOW;
}

/** Puts the path of an entry in the place of its index. */
function withPath(problem: ArchiveProblem, named: readonly NamedHeader[]): ArchiveProblem {
  if (!('path' in problem) || problem.path === undefined) return problem;
  return { ...problem, path: named[Number(problem.path)]?.path ?? '' };
}

/** A second opinion, for archives without Zip64 records: some of those make the library throw outside of any call. */
async function isReadOtherwise(
  archive: ArchiveSource,
  end: EndRecord,
  headers: readonly CentralHeader[],
): Promise<boolean> {
  const isZip64 = end.directoryEnd !== end.at;
  return !isZip64 && headers.length > 0 && (await readsOtherwise(archive, headers));
}
