import type { ArchiveProblem } from '@pinfold/core';
import type { ByteSource } from './byte-source.ts';
import type { EndRecord } from './end-record.ts';
import { type CentralHeader, readCentralHeader } from './entry-headers.ts';
import type { ProofControl } from './jobs.ts';

/** The central directory; without headers if it cannot be read to its end. */
export interface Directory {
  readonly headers: readonly CentralHeader[];
  readonly begin: number;
  readonly problems: readonly ArchiveProblem[];
}

/** Reads the directory, even if its end records contradict each other. */
export function readDirectory(
  file: ByteSource,
  end: EndRecord,
  maxEntries: number,
  control?: Pick<ProofControl, 'throwIfStopped'>,
): Directory {
  if (end.count > maxEntries) return unreadable(end, tooMany(end.count, maxEntries));
  const begin = beginOf(file, end);
  const headers: CentralHeader[] = [];
  let at = begin;
  while (at < end.directoryEnd) {
    if (headers.length % 1_024 === 0) control?.throwIfStopped();
    const header = readCentralHeader(file, at, end.directoryEnd);
    if (header === undefined || headers.length === maxEntries) break;
    headers.push(header);
    at = header.next;
  }
  if (at !== end.directoryEnd) {
    if (headers.length === maxEntries) return unreadable(end, tooMany(headers.length + 1, maxEntries));
    return unreadable(end, { rule: 'ambiguous_structure', reason: 'directory_unreadable' });
  }
  const isCounted = end.contradiction !== undefined || headers.length === end.count;
  return {
    headers,
    begin,
    problems: isCounted ? [] : [{ rule: 'ambiguous_structure', reason: 'entry_counts' }],
  };
}

function unreadable(end: EndRecord, problem: ArchiveProblem): Directory {
  return { headers: [], begin: end.directoryEnd, problems: [problem] };
}

function tooMany(actual: number, limit: number): ArchiveProblem {
  return { rule: 'too_many_files', limit, actual };
}

/** Finds the directory by its offset, or by its size if offsets do not count bytes before the archive. */
function beginOf(file: ByteSource, end: EndRecord): number {
  if (end.directoryOffset === end.directoryEnd) return end.directoryOffset;
  if (readCentralHeader(file, end.directoryOffset, end.directoryEnd) !== undefined)
    return end.directoryOffset;
  return Math.max(0, end.directoryEnd - end.directorySize);
}
