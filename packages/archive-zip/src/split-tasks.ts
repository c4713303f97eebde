import type { EntryProof, ListedEntry, ProofRequest, ProofTask } from '@pinfold/core';
import type { EntryTask } from './jobs.ts';
import { isObservable, isReferring } from './observe/observe.ts';
import { isScript } from './observe/script-findings.ts';
import { nothingOf } from './packed.ts';

/** Work for one message to a worker, in bytes read and inflated: large enough to be worth the way, small enough to share out. */
const SMALLEST_JOB = 1_048_576;
const LARGEST_JOB = 4_194_304;
/** The fixed cost of an entry, expressed in bytes. */
const ENTRY_COST = 4_096;
/** Jobs for each worker, so that all end at about the same time. */
const SHARES = 4;

/** How much of a site is looked through for warnings, which may cost a tenth of the time to publish. */
const OBSERVED_BYTES = 4_194_304;
const OBSERVED_SHARE = 0.1;
/** Looking for references, too, takes longer. */
const REFERRING_WEIGHT = 3;
/** What all files may spend on their references beside a character for each byte: in equal shares, for small files. */
const SHARED_WORK = 262_144;

export interface SplitTasks {
  readonly jobs: readonly (readonly EntryTask[])[];
  readonly empty: readonly EntryProof[];
}

/** Shares out the entries in the order of the listing. Nothing stored is proved at once: archives may hold thousands of folders. */
export function splitTasks({ listing, tasks }: ProofRequest, workers: number): SplitTasks {
  const empty: EntryProof[] = [];
  const toRead: { task: ProofTask; entry: ListedEntry }[] = [];
  for (const task of tasks) {
    const entry = listing.entries[task.entry];
    if (entry === undefined) throw new RangeError('a task names an entry that is not listed');
    if (isNothing(entry)) empty.push(nothingOf(task.entry));
    else toRead.push({ task, entry });
  }
  const observed = observedBytes(toRead);
  const referring = toRead.filter(({ task: { path = '' } }) => isReferring(path) || isScript(path)).length;
  const entryTasks = toRead.map(({ task, entry }) => {
    const { method, crc32, compressedSize, size, dataOffset } = entry;
    const readBytes = observed.get(task.entry) ?? 0;
    // Known before anything is inflated, it is the same whichever thread proves which entries.
    const referenceWork = readBytes + Math.floor(SHARED_WORK / Math.max(1, referring));
    return {
      ...task,
      method,
      crc32,
      compressedSize,
      size,
      dataOffset,
      observedBytes: readBytes,
      referenceWork,
    };
  });
  return { jobs: shares(entryTasks, workers), empty };
}

/** Small files first, so that as many as possible are looked through. */
function observedBytes(
  tasks: readonly { task: ProofTask; entry: ListedEntry }[],
): ReadonlyMap<number, number> {
  const all = tasks.reduce((sum, { entry }) => sum + entry.size, 0);
  let left = OBSERVED_BYTES + OBSERVED_SHARE * all;
  const bytes = new Map<number, number>();
  const seen = tasks.filter(({ task: { path } }) => path !== undefined && isObservable(path));
  for (const { task, entry } of seen.sort((a, b) => a.entry.size - b.entry.size)) {
    const weight = weightOf(task.path);
    const readBytes = Math.min(entry.size, Math.floor(left / weight));
    bytes.set(task.entry, readBytes);
    left -= readBytes * weight;
  }
  return bytes;
}

function isNothing(entry: ListedEntry): boolean {
  return entry.method === 0 && entry.compressedSize === 0 && entry.size === 0 && entry.crc32 === 0;
}

function shares(tasks: readonly EntryTask[], workers: number): readonly (readonly EntryTask[])[] {
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

function costOf({ compressedSize, size, observedBytes, path }: EntryTask): number {
  return compressedSize + size + ENTRY_COST + observedBytes * weightOf(path);
}

function weightOf(path: string | undefined): number {
  return path !== undefined && isReferring(path) ? REFERRING_WEIGHT : 1;
}
