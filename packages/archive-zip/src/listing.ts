import type { ArchiveListing, ListedEntry } from '@pinfold/core';
import { mayBeAppleDouble, ProblemList } from '@pinfold/core/adapter';
import type { ByteSource } from './byte-source.ts';
import { END_BYTES, findEndRecord, readDirectory } from './central-directory.ts';
import { entryProblems, nameHeaders, STRUCTURE_RULES, toListedEntry } from './entry-headers.ts';
import { entryNames } from './entry-name.ts';
import { ZIP64 } from './extra-fields.ts';

/** A ZIP that is read in pieces: a `Blob` in a browser, a file, or a URL with byte ranges. */
export interface ArchiveBytes {
  readonly size: number;
  /** Reads bytes at a position; fewer only at the end of the ZIP. */
  readAt(position: number, length: number): Promise<Uint8Array> | Uint8Array;
}

/** An entry of the central directory. `dataOffset` is unknown, and 0. */
export interface DirectoryEntry extends ListedEntry {
  /** The offsets of its header in the directory, and of its end. */
  readonly at: number;
  readonly next: number;
  /** The offset of its local header. */
  readonly localOffset: number;
}

/** The directory of a ZIP, for `judgeListing` of the core. */
export interface DirectoryListing extends ArchiveListing {
  readonly entries: readonly DirectoryEntry[];
  /** The offset of the directory. */
  readonly begin: number;
  /** Whether some of its values are in Zip64 records (APPNOTE.TXT, section 4.5.3). */
  readonly isZip64: boolean;
}

/** The end record, the longest comment, and the Zip64 records before it: 56 and 20 bytes. */
const TAIL_BYTES = END_BYTES + 0xffff + 76;
/** Directories beyond these limits are refused in any case. */
const MAX_DIRECTORY_BYTES = 67_108_864;
const MAX_ENTRIES = 150_000;

/**
 * Reads only the directory of a ZIP, on every runtime with `fetch`, to warn before an upload. The server refuses every ZIP
 * with problems here. It may also refuse others, since it reads local headers and inflates every entry. Names in an unknown
 * encoding get percent escapes, which break no rule; the server guesses their encoding from the pages.
 *
 * @example
 * import { defaultLimits } from '@pinfold/core';
 * import { judgeListing } from '@pinfold/core/adapter';
 * import { readListing } from '@pinfold/archive-zip/listing';
 *
 * const archive = new Blob(['This is not a ZIP.']);
 * const listing = await readListing({
 *   size: archive.size,
 *   readAt: (position, length) => archive.slice(position, position + length).bytes(),
 * });
 * judgeListing(listing, defaultLimits).problems; // [{ rule: 'not_a_zip' }]
 */
export async function readListing(archive: ArchiveBytes): Promise<DirectoryListing> {
  const { size } = archive;
  const read = async (from: number, to: number): Promise<Piece> => ({
    from,
    bytes: await archive.readAt(from, to - from),
  });
  const tail = await read(Math.max(0, size - TAIL_BYTES), size);
  const pieces = [tail, await read(0, Math.min(4, size))];
  const { end, problems } = findEndRecord(sourceOf(size, pieces));
  if (end === undefined) return { entries: [], problems, trusted: false, begin: size, isZip64: false };
  const from = Math.max(0, Math.min(end.directoryOffset, end.directoryEnd - end.directorySize));
  if (end.count <= MAX_ENTRIES && end.directoryEnd - from <= MAX_DIRECTORY_BYTES)
    pieces.unshift(await read(from, end.directoryEnd));
  const directory = readDirectory(sourceOf(size, pieces), end, MAX_ENTRIES);
  const named = nameHeaders(directory.headers, entryNames(directory.headers).names);
  const problemList = new ProblemList();
  problemList.add([...problems, ...directory.problems]);
  for (const entry of named) problemList.add(entryProblems(entry));
  const entries = named.map((entry) => {
    const { at, next, localOffset } = entry.header;
    return { ...toListedEntry(entry), ...assumedAppleDouble(entry.path), at, next, localOffset };
  });
  return {
    entries,
    problems: problemList.listed,
    omitted: problemList.omitted,
    trusted: !STRUCTURE_RULES.some((rule) => problemList.has(rule)),
    begin: directory.begin,
    isZip64:
      end.directoryEnd !== end.at ||
      directory.headers.some(({ fields }) => fields.some(({ id }) => id === ZIP64)),
  };
}

/** Assumes that `._x` is AppleDouble, without reading its data: such files are hardly ever meant for a site. */
function assumedAppleDouble(path: string): Pick<ListedEntry, 'appleDouble'> {
  return mayBeAppleDouble(path) ? { appleDouble: true } : {};
}

interface Piece {
  readonly from: number;
  readonly bytes: Uint8Array;
}

function sourceOf(size: number, pieces: readonly Piece[]): ByteSource {
  const at = (position: number, length: number): Uint8Array => {
    const end = Math.min(position + length, size);
    const piece = pieces.find(({ from, bytes }) => from <= position && end <= from + bytes.length);
    return piece?.bytes.subarray(position - piece.from, end - piece.from) ?? new Uint8Array();
  };
  return { size, at };
}
