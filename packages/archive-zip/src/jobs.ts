import type { ArchiveListing, ArchiveProblem, EntryProof, ListedEntry, ProofTask } from '@pinfold/core';
import type { PackedProofs, PackedTasks } from './packed.ts';

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
