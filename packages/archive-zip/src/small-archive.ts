import type { ArchiveListing, EntryProof } from '@pinfold/core';
import { MemorySource } from './archive-source.ts';
import { readDirectory } from './central-directory.ts';
import type { CentralHeader } from './central-header.ts';
import { findEnd } from './find-end.ts';
import type { ProveJob } from './jobs.ts';
import { listArchive } from './list-archive.ts';
import { ProofControl } from './proof-control.ts';
import { sieveOf } from './prove-entries.ts';
import { type ProofTools, proveWhole } from './prove-entry.ts';
import { isSmallSite, SMALL_ENTRIES, SMALL_SITE_BYTES } from './small-limits.ts';
import { StagedFile } from './staged-file.ts';

const ASCII_END = 0x80;

/** Compressed bytes on their way into the inflater: entries are proved without a pause between them. */
let scratch: Buffer | undefined;

/** Lists a small archive on this thread. Undefined if that could take more than a few milliseconds. */
export async function listSmall(bytes: Uint8Array, maxEntries: number): Promise<ArchiveListing | undefined> {
  const archive = new MemorySource(bytes);
  const file = new StagedFile(archive, bytes.length);
  const { end } = findEnd(file);
  if (end !== undefined && !areSmall(readDirectory(file, end, SMALL_ENTRIES).headers)) return undefined;
  return listArchive(archive, maxEntries, new ProofControl());
}

function areSmall(headers: readonly CentralHeader[]): boolean {
  // Other names may have to be decoded by the pages, which takes longer.
  const isAscii = headers.every(({ rawName }) => rawName.every((byte) => byte < ASCII_END));
  return headers.length > 0 && isAscii && isSmallSite(headers);
}

/** Proves the entries of a small archive on this thread. Undefined if one is not as declared: its extent is unknown. */
export function proveSmall(
  bytes: Uint8Array,
  { tasks, ...job }: Pick<ProveJob, 'tasks' | 'expandedBytes' | 'sitePaths'>,
): readonly EntryProof[] | undefined {
  if (!isSmallSite(tasks)) return undefined;
  if (tasks.some(({ dataOffset, compressedSize }) => dataOffset + compressedSize > bytes.length))
    return undefined;
  scratch ??= Buffer.allocUnsafeSlow(SMALL_SITE_BYTES);
  const control = new ProofControl();
  const tools: ProofTools = {
    archive: new MemorySource(bytes),
    control,
    expandedBytes: job.expandedBytes,
    scratch,
    sieve: sieveOf(job, control),
  };
  const entries: EntryProof[] = [];
  for (const task of tasks) {
    const outcome = proveWhole(task, tools);
    if (outcome === 'more_than_declared' || outcome.kind !== 'proved') return undefined;
    entries.push(outcome.proof);
  }
  return entries;
}
