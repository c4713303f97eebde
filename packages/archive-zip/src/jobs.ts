import type {
  ArchiveListing,
  ArchiveProblem,
  EntryProof,
  ListedEntry,
  ProofRequest,
  ProofTask,
} from '@pinfold/core';
import { isObservable, mayHaveReferences } from './observe/observe.ts';
import { isScript } from './observe/script-findings.ts';
import { bareProof, type PackedProofs, type PackedTasks } from './packed.ts';

export interface EntryTask
  extends ProofTask,
    Pick<ListedEntry, 'method' | 'crc32' | 'compressedSize' | 'size' | 'dataOffset'> {
  /** How many bytes of its beginning to search for references and secrets. */
  readonly observedBytes: number;
  /** How much work its references may cost, in characters. */
  readonly referenceWork: number;
}

/** The bytes of an archive: in a file, or in memory that threads share. */
export type StagedBytes = { readonly file: string } | { readonly shared: Uint8Array };

export interface ListJob {
  readonly kind: 'list';
  readonly staged: StagedBytes;
  readonly size: number;
  readonly maxEntries: number;
}

/** Inflates some entries of an archive; they are packed for the message to a thread. */
export interface ProveJob<Tasks = readonly EntryTask[]> {
  readonly kind: 'prove';
  readonly staged: StagedBytes;
  readonly size: number;
  readonly tasks: Tasks;
  /** The maximum number of bytes that all jobs of the call together may inflate to. */
  readonly expandedBytes: number;
  /** The paths of all files of the site, one per line: no path has a line end. */
  readonly sitePaths: string;
}

export type Job = ListJob | ProveJob<PackedTasks>;

/** A listing as a thread sends it: its packed entries in serialized pieces, so that none blocks the receiver for long. */
export interface ListResult extends Omit<ArchiveListing, 'entries'> {
  readonly pieces: readonly Uint8Array[];
}

/** The result of inflating some entries; threads pack the proofs. */
export interface ProveResult<Proofs = readonly EntryProof[]> {
  readonly problems: readonly ArchiveProblem[];
  readonly entries: Proofs;
}

export interface JobResults {
  readonly list: ListResult;
  readonly prove: ProveResult<PackedProofs>;
}

export interface JobRequest {
  readonly id: number;
  readonly job: Job;
  readonly control: SharedArrayBuffer;
}

/** How a job ended: done, stopped, refused by the operating system, or failed by a bug. */
export type JobReply<Result = JobResults[keyof JobResults]> =
  | { readonly id: number; readonly kind: 'done'; readonly result: Result }
  | { readonly id: number; readonly kind: 'stopped' }
  | { readonly id: number; readonly kind: 'refused'; readonly code: string; readonly message: string }
  | { readonly id: number; readonly kind: 'failed'; readonly error: unknown };

/** Ends a stopped job. The code that stopped it knows the reason. */
export class StoppedError extends Error {
  override readonly name: string = 'Stopped';
}

/** The layout of the shared memory: a flag of 32 bits, and at byte 8 a counter of 64 bits. */
const STOP_INDEX = 0;
const INFLATED_OFFSET = 8;
const CONTROL_BYTES = 16;

/** State that the jobs of one call share across threads: a flag to stop, and the number of inflated bytes. */
export class ProofControl {
  readonly memory: SharedArrayBuffer;
  readonly #stop: Int32Array;
  readonly #inflated: BigInt64Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(CONTROL_BYTES)) {
    this.memory = memory;
    this.#stop = new Int32Array(memory, 0, 1);
    this.#inflated = new BigInt64Array(memory, INFLATED_OFFSET, 1);
  }

  /** Ends every job at its next check. */
  stop(): void {
    Atomics.store(this.#stop, STOP_INDEX, 1);
  }

  throwIfStopped(): void {
    if (Atomics.load(this.#stop, STOP_INDEX) !== 0) throw new StoppedError();
  }

  /** Counts inflated bytes and returns the total. */
  count(bytes: number): number {
    return Number(Atomics.add(this.#inflated, 0, BigInt(bytes))) + bytes;
  }
}

/** Bounds for the bytes of one job: enough to outweigh the message, few enough to distribute jobs evenly. */
const MIN_JOB_BYTES = 1_048_576;
const MAX_JOB_BYTES = 4_194_304;
/** The fixed cost of an entry, expressed in bytes. */
const ENTRY_COST_BYTES = 4_096;
/** Jobs for each worker, so that all end at about the same time. */
const JOBS_PER_WORKER = 4;

/** Bytes of a site that are searched for warnings: these, and a tenth of all bytes. */
const OBSERVED_BYTES = 4_194_304;
const OBSERVED_SHARE = 0.1;
/** How many times longer a search for references and secrets takes than one for secrets alone. */
const REFERRING_WEIGHT = 3;
/** Work for references in addition to a character per byte. All files share it equally, since small files need it most. */
const SHARED_REFERENCE_WORK = 262_144;

interface TaskToRead {
  readonly task: ProofTask;
  readonly entry: ListedEntry;
  /** How many times longer it takes to search a byte than in other files. */
  readonly weight: number;
}

/**
 * Distributes the entries over jobs, in the order of the listing. Empty entries need no job: archives may have thousands
 * of folders.
 */
export function splitTasks(
  { listing, tasks }: ProofRequest,
  workers: number,
): { readonly jobs: readonly (readonly EntryTask[])[]; readonly empty: readonly EntryProof[] } {
  const empty: EntryProof[] = [];
  const tasksToRead: TaskToRead[] = [];
  for (const task of tasks) {
    const entry = listing.entries[task.entry];
    if (entry === undefined) throw new RangeError('a task names an entry that is not listed');
    if (isEmptyEntry(entry)) empty.push(bareProof(task.entry, { utf8: true, whole: true }));
    else tasksToRead.push({ task, entry, weight: weightOf(task.path) });
  }
  const observed = observedBytes(tasksToRead);
  const referring = tasksToRead.filter(({ task, weight }) => weight > 1 || isScript(task.path ?? '')).length;
  const costs: number[] = [];
  const entryTasks = tasksToRead.map(({ task, entry, weight }) => {
    const { method, crc32, compressedSize, size, dataOffset } = entry;
    const readBytes = observed.get(task.entry) ?? 0;
    costs.push(compressedSize + size + ENTRY_COST_BYTES + readBytes * weight);
    // Depends only on sizes, so that the result is the same with any number of threads.
    const referenceWork = readBytes + Math.floor(SHARED_REFERENCE_WORK / Math.max(1, referring));
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
  return { jobs: distribute(entryTasks, costs, workers), empty };
}

/** The bytes to search of each entry: small files first, so that as many files as possible are searched. */
function observedBytes(tasks: readonly TaskToRead[]): ReadonlyMap<number, number> {
  const all = tasks.reduce((sum, { entry }) => sum + entry.size, 0);
  let remaining = OBSERVED_BYTES + OBSERVED_SHARE * all;
  const bytes = new Map<number, number>();
  const observable = tasks.filter(({ task: { path } }) => path !== undefined && isObservable(path));
  for (const { task, entry, weight } of observable.sort((a, b) => a.entry.size - b.entry.size)) {
    const readBytes = Math.min(entry.size, Math.floor(remaining / weight));
    bytes.set(task.entry, readBytes);
    remaining -= readBytes * weight;
  }
  return bytes;
}

function isEmptyEntry(entry: ListedEntry): boolean {
  return entry.method === 0 && entry.compressedSize === 0 && entry.size === 0 && entry.crc32 === 0;
}

function distribute(
  tasks: readonly EntryTask[],
  costs: readonly number[],
  workers: number,
): readonly (readonly EntryTask[])[] {
  const all = costs.reduce((sum, cost) => sum + cost, 0);
  const share = Math.min(MAX_JOB_BYTES, Math.max(MIN_JOB_BYTES, all / (workers * JOBS_PER_WORKER)));
  const jobs: EntryTask[][] = [];
  let room = 0;
  for (const [index, task] of tasks.entries()) {
    if (room <= 0) {
      jobs.push([]);
      room = share;
    }
    jobs.at(-1)?.push(task);
    room -= costs[index] as number;
  }
  return jobs;
}

function weightOf(path: string | undefined): number {
  return path !== undefined && mayHaveReferences(path) ? REFERRING_WEIGHT : 1;
}
