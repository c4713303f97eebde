import type {
  ArchiveListing,
  ArchiveProblem,
  EntryProof,
  ListedEntry,
  ProofRequest,
  ProofTask,
} from '@pinfold/core';
import { isObservable, isReferring } from './observe/observe.ts';
import { isScript } from './observe/script-findings.ts';
import { nothingOf, type PackedProofs, type PackedTasks } from './packed.ts';

/** An entry to prove, with what is needed to read it. */
export interface EntryTask
  extends ProofTask,
    Pick<ListedEntry, 'method' | 'crc32' | 'compressedSize' | 'size' | 'dataOffset'> {
  /** How much of its beginning to look through for references and secrets. */
  readonly observedBytes: number;
  /** How much work its references may cost, where it is a page. */
  readonly referenceWork: number;
}

/** Where the bytes of an archive are: in a file, or in memory that threads share. */
export type StagedBytes = { readonly file: string } | { readonly shared: Uint8Array };

/** Reads the listing of an archive. */
export interface ListJob {
  readonly kind: 'list';
  readonly staged: StagedBytes;
  readonly size: number;
  readonly maxEntries: number;
}

/** Inflates some entries of an archive. */
export interface ProveJob {
  readonly kind: 'prove';
  readonly staged: StagedBytes;
  readonly size: number;
  readonly tasks: readonly EntryTask[];
  /** The most bytes that all jobs of the call together may inflate to. */
  readonly expandedBytes: number;
  /** The paths of all files of the site, a line each: no path has a line end. */
  readonly sitePaths: string;
}

/** The same on its way between threads. */
export interface SentProveJob extends Omit<ProveJob, 'tasks'> {
  readonly tasks: PackedTasks;
}

/** The work of one message to a worker. */
export type Job = ListJob | SentProveJob;

/** A listing on its way between threads: its packed entries in serialized stretches, so that none holds the receiver. */
export interface ListResult extends Omit<ArchiveListing, 'entries'> {
  readonly pieces: readonly Uint8Array[];
}

/** The results of one job's inflated entries. */
export interface ProveResult {
  readonly problems: readonly ArchiveProblem[];
  readonly entries: readonly EntryProof[];
}

/** The same on its way between threads. */
export interface SentProveResult extends Omit<ProveResult, 'entries'> {
  readonly entries: PackedProofs;
}

/** The result type of each kind of job. */
export interface JobResults {
  readonly list: ListResult;
  readonly prove: SentProveResult;
}

/** A message to a worker. */
export interface JobRequest {
  readonly id: number;
  readonly job: Job;
  readonly control: SharedArrayBuffer;
}

/** How a job ended: told to stop, refused by the system, or failed by a fault of ours. */
export type JobReply<Result = ListResult | SentProveResult> =
  | { readonly id: number; readonly kind: 'done'; readonly result: Result }
  | { readonly id: number; readonly kind: 'stopped' }
  | { readonly id: number; readonly kind: 'refused'; readonly code: string; readonly message: string }
  | { readonly id: number; readonly kind: 'failed'; readonly error: unknown };

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
