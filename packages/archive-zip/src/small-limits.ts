import type { StagedArchive } from '@pinfold/core';
import type { EntryTask } from './jobs.ts';

/** The largest archive that is read on the thread of its caller: the way to another thread and back takes longer. */
const SMALL_BYTES = 16_384;
/** The most entries of one. */
export const SMALL_ENTRIES = 16;
/** The most bytes that its entries may be together: a few milliseconds, whatever they contain. */
export const SMALL_SITE_BYTES = 16_384;

/** The bytes of an archive that is in memory, and so small that it may be read on this thread. */
export function smallBytes({ bytes, size }: StagedArchive): Uint8Array | undefined {
  return bytes?.length === size && size <= SMALL_BYTES ? bytes : undefined;
}

/** Whether entries are few and small, by their headers. */
export function isSmallSite(entries: readonly Pick<EntryTask, 'size' | 'compressedSize'>[]): boolean {
  const bytes = entries.reduce((sum, { size, compressedSize }) => sum + Math.max(size, compressedSize), 0);
  return entries.length <= SMALL_ENTRIES && bytes <= SMALL_SITE_BYTES;
}
