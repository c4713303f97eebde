import type { ArchiveListing, ArchiveProblem, ArchiveRule, BadEncoding, ListedEntry } from '@pinfold/core';
import { ProblemList, readNames } from '@pinfold/core/adapter';
import { readDirectory } from './central-directory.ts';
import type { CentralHeader } from './central-header.ts';
import type { EndRecord } from './end-record.ts';
import { decodeName, unicodePathProblem } from './entry-name.ts';
import { findEnd } from './find-end.ts';
import { readLayout } from './layout.ts';
import { readsOtherwise } from './library-walk.ts';
import type { LocalHeader } from './local-header.ts';
import type { ProofControl } from './proof-control.ts';
import { StagedFile } from './staged-file.ts';

const DIRECTORY_WINDOW = 131_072;
/** Local headers lie apart: a wide window would read the whole archive. */
const HEADER_WINDOW = 4_096;
const ENCRYPTED_FLAGS = 0x2041;

/** An archive that breaks one of these cannot be read by its offsets and sizes. */
const STRUCTURE: readonly ArchiveRule[] = [
  'not_a_zip',
  'truncated',
  'ambiguous_structure',
  'overlapping_entries',
  'too_many_files',
];

interface NamedHeader {
  readonly header: CentralHeader;
  readonly name: string;
  readonly path: string;
  readonly wrong: BadEncoding | undefined;
}

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

/** A second opinion, for plain archives alone: some Zip64 records make the library throw where nobody can catch it. */
async function isReadOtherwise(
  fd: number,
  end: EndRecord,
  headers: readonly CentralHeader[],
): Promise<boolean> {
  const isZip64 = end.directoryEnd !== end.at;
  return !isZip64 && headers.length > 0 && (await readsOtherwise(fd, headers));
}

function nameHeaders(headers: readonly CentralHeader[]): readonly NamedHeader[] {
  const decoded = headers.map(({ rawName, flags }) => decodeName(rawName, flags));
  const paths = readNames(decoded.map(({ name }, index) => ({ name, host: headers[index]?.host ?? -1 })));
  return headers.map((header, index) => {
    const { name = '', wrong } = decoded[index] ?? {};
    return { header, name, path: paths[index] ?? name, wrong };
  });
}

function listed({ header, name }: NamedHeader, local: LocalHeader | undefined): ListedEntry {
  const { host, externalAttributes, flags, method, crc32, compressedSize, size } = header;
  const dataOffset = local?.dataOffset ?? 0;
  return { name, host, externalAttributes, flags, method, crc32, compressedSize, size, dataOffset };
}

function entryProblems(
  { header, name, path, wrong }: NamedHeader,
  local: LocalHeader | undefined,
): readonly ArchiveProblem[] {
  const problems: ArchiveProblem[] = [];
  const reason =
    wrong ??
    unicodePathProblem(header.rawName, name, header.fields) ??
    unicodePathProblem(header.rawName, name, local?.fields ?? []);
  if (reason !== undefined) problems.push({ rule: 'bad_encoding', reason, path });
  if (!header.consistent) problems.push({ rule: 'ambiguous_structure', reason: 'entry_zip64', path });
  if (header.disk !== 0) problems.push({ rule: 'ambiguous_structure', reason: 'entry_in_other_part', path });
  // The rule for what the directory says of it is the core's; a local header may say it alone.
  if (local !== undefined && isEncrypted(local.flags) && !isEncrypted(header.flags)) {
    problems.push({ rule: 'encrypted', path });
  }
  return problems;
}

function isEncrypted(flags: number): boolean {
  return (flags & ENCRYPTED_FLAGS) !== 0;
}
