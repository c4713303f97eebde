import type { ArchiveProblem, ArchiveRule, BadEncoding, ListedEntry } from '@pinfold/core';
import { readNames } from '@pinfold/core/adapter';
import type { CentralHeader } from './central-header.ts';
import type { EntryName } from './entry-name.ts';
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

/** Adds names to the headers of a directory together: the path of one can depend on the others. */
export function nameHeaders(
  headers: readonly CentralHeader[],
  names: readonly EntryName[],
): readonly NamedHeader[] {
  const paths = readNames(headers.map(({ host }, index) => ({ name: names[index]?.name ?? '', host })));
  return headers.map((header, index) => {
    const { name = '', wrong } = names[index] ?? {};
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
  { header, path, wrong }: Omit<NamedHeader, 'name'>,
  local?: LocalHeader,
): readonly ArchiveProblem[] {
  const problems: ArchiveProblem[] = [];
  if (wrong !== undefined) problems.push({ rule: 'bad_encoding', reason: wrong, path });
  if (!header.consistent) problems.push({ rule: 'ambiguous_structure', reason: 'entry_zip64', path });
  if (header.disk !== 0) problems.push({ rule: 'ambiguous_structure', reason: 'entry_in_other_part', path });
  // The core judges the flags of the directory; only the local header's own are judged here.
  if (local !== undefined && isEncrypted(local.flags) && !isEncrypted(header.flags)) {
    problems.push({ rule: 'encrypted', path });
  }
  return problems;
}

/** Whether the data of an entry can be inflated. */
export function isReadable({ flags, method }: Pick<ListedEntry, 'flags' | 'method'>): boolean {
  return (method === 0 || method === 8) && !isEncrypted(flags);
}

function isEncrypted(flags: number): boolean {
  return (flags & ENCRYPTED_FLAGS) !== 0;
}
