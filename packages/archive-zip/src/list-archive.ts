import type { ArchiveListing, ArchiveProblem, HeaderField, ListedEntry } from '@pinfold/core';
import { isAppleDouble, mayBeAppleDouble, ProblemList } from '@pinfold/core/adapter';
import { type ArchiveSource, StagedFile } from './archive-source.ts';
import { type EndRecord, findEndRecord, readDirectory } from './central-directory.ts';
import { type PieceSource, readPieces } from './entry-data.ts';
import {
  type CentralHeader,
  DESCRIPTOR_FLAG,
  descriptorAgrees,
  entryProblems,
  isDescriptorLength,
  isReadable,
  type LocalHeader,
  type NamedHeader,
  nameHeaders,
  readLocalHeader,
  STRUCTURE_RULES,
  toListedEntry,
} from './entry-headers.ts';
import { entryNames } from './entry-name.ts';
import { guessNames } from './guess-names.ts';
import type { ProofControl } from './jobs.ts';
import { differsFromLibrary, hasSingleReading } from './library-comparison.ts';

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

/** The header of an entry, and its path for problems. */
interface PlacedEntry {
  readonly header: CentralHeader;
  readonly path: string;
}

/**
 * Reads local headers and checks that entries and descriptors fill the file up to the directory: no gap, no overlap.
 * @returns the local header of each entry, in the directory's order; `undefined` if there is none.
 */
function readLayout(
  file: StagedFile,
  entries: readonly PlacedEntry[],
  directoryBegin: number,
  problemList: ProblemList,
  control: ProofControl,
): readonly (LocalHeader | undefined)[] {
  const order = entries.map((_, index) => index).sort((a, b) => offsetOf(entries, a) - offsetOf(entries, b));
  const locals: (LocalHeader | undefined)[] = new Array(entries.length).fill(undefined);
  let filledUpTo = 0;
  order.forEach((index, position) => {
    if (position % 1_024 === 0) control.throwIfStopped();
    const entry = entries[index] as PlacedEntry;
    const { header, path } = entry;
    const next = order[position + 1];
    const nextBegin = next === undefined ? directoryBegin : offsetOf(entries, next);
    problemList.add(placeProblems(header, path, filledUpTo));
    const local = readLocalHeader(file, header);
    locals[index] = local;
    if (local === undefined) {
      problemList.add([{ rule: 'ambiguous_structure', reason: 'local_header_missing', path }]);
      filledUpTo = Math.max(filledUpTo, nextBegin);
      return;
    }
    problemList.add(mismatchProblems(local.mismatches, path));
    const end = endOf(file, entry, local, nextBegin);
    problemList.add(end.problems);
    filledUpTo = Math.max(filledUpTo, end.at);
  });
  problemList.add(directoryProblems(filledUpTo, directoryBegin));
  return locals;
}

function offsetOf(entries: readonly PlacedEntry[], index: number): number {
  return (entries[index] as PlacedEntry).header.localOffset;
}

function placeProblems(header: CentralHeader, path: string, filled: number): readonly ArchiveProblem[] {
  if (header.localOffset < filled) return [{ rule: 'overlapping_entries', path }];
  if (header.localOffset === filled) return [];
  return [{ rule: 'ambiguous_structure', reason: 'bytes_before_entry', path }];
}

function mismatchProblems(fields: readonly HeaderField[], path: string): readonly ArchiveProblem[] {
  return fields.length === 0 ? [] : [{ rule: 'header_mismatch', fields, path }];
}

/** The offset at which an entry ends: after its data, or after their descriptor. */
function endOf(
  file: StagedFile,
  { header, path }: PlacedEntry,
  local: LocalHeader,
  nextBegin: number,
): { readonly at: number; readonly problems: readonly ArchiveProblem[] } {
  const dataEnd = local.dataOffset + header.compressedSize;
  if ((local.flags & DESCRIPTOR_FLAG) === 0 || nextBegin < dataEnd) return { at: dataEnd, problems: [] };
  const room = nextBegin - dataEnd;
  if (room === 0) return { at: dataEnd, problems: mismatchProblems(['missing_descriptor'], path) };
  if (!isDescriptorLength(room)) return { at: dataEnd, problems: [] };
  const agrees = descriptorAgrees(file.at(dataEnd, room), header);
  return { at: nextBegin, problems: agrees ? [] : mismatchProblems(['descriptor'], path) };
}

function directoryProblems(filled: number, directoryBegin: number): readonly ArchiveProblem[] {
  if (filled === directoryBegin) return [];
  if (filled < directoryBegin) return [{ rule: 'ambiguous_structure', reason: 'bytes_before_directory' }];
  return [{ rule: 'overlapping_entries' }, { rule: 'ambiguous_structure', reason: 'entry_sizes' }];
}
