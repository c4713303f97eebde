import type { ArchiveListing } from '@pinfold/core';
import { ProblemList } from '@pinfold/core/adapter';
import { readDirectory } from './central-directory.ts';
import type { CentralHeader } from './central-header.ts';
import type { EndRecord } from './end-record.ts';
import { findEnd } from './find-end.ts';
import { readLayout } from './layout.ts';
import { readsOtherwise } from './library-walk.ts';
import { entryProblems, listed, nameHeaders, STRUCTURE } from './named-header.ts';
import type { ProofControl } from './proof-control.ts';
import { StagedFile } from './staged-file.ts';

const DIRECTORY_WINDOW = 131_072;
/** Local headers lie apart: a wide window would read the whole archive. */
const HEADER_WINDOW = 4_096;

/** Reads structure, names and headers of an archive, and reports every rule that only its bytes can tell. */
export async function listArchive(
  fd: number,
  size: number,
  mostEntries: number,
  control: ProofControl,
): Promise<ArchiveListing> {
  const file = new StagedFile(fd, size, DIRECTORY_WINDOW);
  const { end, problems } = findEnd(file);
  if (end === undefined) return { entries: [], problems, trusted: false };
  const directory = readDirectory(file, end, mostEntries, control);
  const named = nameHeaders(directory.headers);
  const found = new ProblemList();
  found.add([...problems, ...directory.problems]);
  const locals =
    directory.begin === end.directoryOffset
      ? readLayout(new StagedFile(fd, size, HEADER_WINDOW), named, directory.begin, found, control)
      : [];
  for (const [index, entry] of named.entries()) found.add(entryProblems(entry, locals[index]));
  const entries = named.map((entry, index) => listed(entry, locals[index]));
  let trusted = !STRUCTURE.some((rule) => found.has(rule));
  if (trusted && (await isReadOtherwise(fd, end, directory.headers))) {
    found.add([{ rule: 'ambiguous_structure', reason: 'two_readings' }]);
    trusted = false;
  }
  return { entries, problems: found.kept, omitted: found.omitted, trusted };
}

/** A second opinion, for archives without Zip64 records: some of those make the library throw outside of any call. */
async function isReadOtherwise(
  fd: number,
  end: EndRecord,
  headers: readonly CentralHeader[],
): Promise<boolean> {
  const isZip64 = end.directoryEnd !== end.at;
  return !isZip64 && headers.length > 0 && (await readsOtherwise(fd, headers));
}
