import type { ArchiveProblem, HeaderField } from '@pinfold/core';
import type { ProblemList } from '@pinfold/core/adapter';
import type { StagedFile } from './archive-source.ts';
import {
  type CentralHeader,
  DESCRIPTOR_FLAG,
  descriptorAgrees,
  isDescriptorLength,
  type LocalHeader,
  readLocalHeader,
} from './entry-headers.ts';
import type { ProofControl } from './jobs.ts';

/** The header of an entry, and its path for problems. */
export interface PlacedEntry {
  readonly header: CentralHeader;
  readonly path: string;
}

/**
 * Reads local headers and checks that entries and descriptors fill the file up to the directory: no gap, no overlap.
 * @returns the local header of each entry, in the directory's order; `undefined` if there is none.
 */
export function readLayout(
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
