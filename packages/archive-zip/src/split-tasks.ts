import type { EntryProof, ListedEntry, ProofRequest } from '@pinfold/core';
import type { EntryTask } from './jobs.ts';

/** Work for one message to a worker, in bytes read and inflated: large enough to be worth the way, small enough to share out. */
const SMALLEST_JOB = 262_144;
const LARGEST_JOB = 4_194_304;
/** What an entry costs beside its bytes, in bytes. */
const ENTRY_COST = 4_096;
/** Jobs for each worker, so that all end at about the same time. */
const SHARES = 4;

/** What there is to prove, in stretches of about the same work, and what needs no proving. */
export interface SplitTasks {
  readonly jobs: readonly (readonly EntryTask[])[];
  readonly empty: readonly EntryProof[];
}

/** Shares out the entries in the order of the listing. Nothing stored is proved at once: archives may hold thousands of folders. */
export function splitTasks({ listing, tasks }: ProofRequest, workers: number): SplitTasks {
  const empty: EntryProof[] = [];
  const toRead: EntryTask[] = [];
  for (const task of tasks) {
    const entry = listing.entries[task.entry];
    if (entry === undefined) throw new RangeError('a task names an entry that is not listed');
    if (isNothing(entry)) empty.push({ entry: task.entry, utf8: true, references: [], secrets: [] });
    else toRead.push(entryTask(task, entry));
  }
  return { jobs: stretches(toRead, workers), empty };
}

function isNothing(entry: ListedEntry): boolean {
  return entry.method === 0 && entry.compressedSize === 0 && entry.size === 0 && entry.crc32 === 0;
}

function entryTask(task: ProofRequest['tasks'][number], entry: ListedEntry): EntryTask {
  const { method, crc32, compressedSize, size, dataOffset } = entry;
  return { ...task, method, crc32, compressedSize, size, dataOffset };
}

function stretches(tasks: readonly EntryTask[], workers: number): readonly (readonly EntryTask[])[] {
  const all = tasks.reduce((sum, task) => sum + costOf(task), 0);
  const share = Math.min(LARGEST_JOB, Math.max(SMALLEST_JOB, all / (workers * SHARES)));
  const jobs: EntryTask[][] = [];
  let room = 0;
  for (const task of tasks) {
    if (room <= 0) {
      jobs.push([]);
      room = share;
    }
    jobs.at(-1)?.push(task);
    room -= costOf(task);
  }
  return jobs;
}

function costOf({ compressedSize, size }: EntryTask): number {
  return compressedSize + size + ENTRY_COST;
}
