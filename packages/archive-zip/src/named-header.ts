import type { ArchiveProblem, ArchiveRule, BadEncoding, ListedEntry } from '@pinfold/core';
import { readNames } from '@pinfold/core/adapter';
import type { CentralHeader } from './central-header.ts';
import { decodeName, unicodePathProblem } from './entry-name.ts';
import type { LocalHeader } from './local-header.ts';

/** A header of the central directory with its name decoded. */
export interface NamedHeader {
  readonly header: CentralHeader;
  readonly name: string;
  readonly path: string;
  readonly wrong: BadEncoding | undefined;
}

const ENCRYPTED_FLAGS = 0x2041;

/** An archive that breaks one of these cannot be read by its offsets and sizes. */
export const STRUCTURE: readonly ArchiveRule[] = [
  'not_a_zip',
  'truncated',
  'ambiguous_structure',
  'overlapping_entries',
  'too_many_files',
];

/** Decodes the names of a directory together: the path of one can depend on the others. */
export function nameHeaders(headers: readonly CentralHeader[]): readonly NamedHeader[] {
  const decoded = headers.map(({ rawName, flags }) => decodeName(rawName, flags));
  const paths = readNames(decoded.map(({ name }, index) => ({ name, host: headers[index]?.host ?? -1 })));
  return headers.map((header, index) => {
    const { name = '', wrong } = decoded[index] ?? {};
    return { header, name, path: paths[index] ?? name, wrong };
  });
}

/** The entry as the core's rules take it; without its local header, its data's offset is unknown, and 0. */
export function listed({ header, name }: NamedHeader, local?: LocalHeader): ListedEntry {
  const { host, externalAttributes, flags, method, crc32, compressedSize, size } = header;
  const dataOffset = local?.dataOffset ?? 0;
  return { name, host, externalAttributes, flags, method, crc32, compressedSize, size, dataOffset };
}

/** The rules that an entry's headers break. */
export function entryProblems(
  { header, name, path, wrong }: NamedHeader,
  local?: LocalHeader,
): readonly ArchiveProblem[] {
  const problems: ArchiveProblem[] = [];
  const reason =
    wrong ??
    unicodePathProblem(header.rawName, name, header.fields) ??
    unicodePathProblem(header.rawName, name, local?.fields ?? []);
  if (reason !== undefined) problems.push({ rule: 'bad_encoding', reason, path });
  if (!header.consistent) problems.push({ rule: 'ambiguous_structure', reason: 'entry_zip64', path });
  if (header.disk !== 0) problems.push({ rule: 'ambiguous_structure', reason: 'entry_in_other_part', path });
  // The core judges the flags of the directory; only the local header's own are judged here.
  if (local !== undefined && isEncrypted(local.flags) && !isEncrypted(header.flags)) {
    problems.push({ rule: 'encrypted', path });
  }
  return problems;
}

function isEncrypted(flags: number): boolean {
  return (flags & ENCRYPTED_FLAGS) !== 0;
}
