import type { ArchiveListing, EntryProof } from '@pinfold/core';
import { memorySource, StagedFile } from './archive-source.ts';
import { findEndRecord, readDirectory } from './central-directory.ts';
import type { CentralHeader } from './entry-headers.ts';
import { type EntryTask, ProofControl, type ProveJob } from './jobs.ts';
import { listArchive } from './list-archive.ts';
import { filterOf, type ProofTools, proveWhole } from './prove-entries.ts';

const SMALL_ENTRIES = 16;
/** The maximum number of bytes of its entries together: a few milliseconds with any content. */
const SMALL_SITE_BYTES = 16_384;

/** Whether entries are few and small, by their headers. */
function isSmallSite(entries: readonly Pick<EntryTask, 'size' | 'compressedSize'>[]): boolean {
  const bytes = entries.reduce((sum, { size, compressedSize }) => sum + Math.max(size, compressedSize), 0);
  return entries.length <= SMALL_ENTRIES && bytes <= SMALL_SITE_BYTES;
}

const ASCII_END = 0x80;

/** Room for compressed bytes. One buffer suffices, since entries are proved without a pause. */
let scratch: Buffer | undefined;

/** Lists a small archive on this thread; undefined if that could take more than a few milliseconds. */
export async function listSmall(bytes: Uint8Array, maxEntries: number): Promise<ArchiveListing | undefined> {
  const archive = memorySource(bytes);
  const file = new StagedFile(archive, bytes.length);
  const { end } = findEndRecord(file);
  if (end !== undefined && !areSmall(readDirectory(file, end, SMALL_ENTRIES).headers)) return undefined;
  return listArchive(archive, maxEntries, new ProofControl());
}

function areSmall(headers: readonly CentralHeader[]): boolean {
  // Guessing the encoding of other names from the pages would take longer.
  const isAscii = headers.every(({ rawName }) => rawName.every((byte) => byte < ASCII_END));
  return headers.length > 0 && isAscii && isSmallSite(headers);
}

/** Proves the entries of a small archive on this thread; undefined if one is not as declared, and so may be large. */
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
    archive: memorySource(bytes),
    control,
    expandedBytes: job.expandedBytes,
    scratch,
    filter: filterOf(job, control),
  };
  const entries: EntryProof[] = [];
  for (const task of tasks) {
    const outcome = proveWhole(task, tools);
    if (outcome === 'more_than_declared' || outcome.kind !== 'proved') return undefined;
    entries.push(outcome.proof);
  }
  return entries;
}
