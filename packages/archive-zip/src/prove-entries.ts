import { crc32 } from 'node:zlib';
import type { ArchiveProblem, EntryProof } from '@pinfold/core';
import { type ArchiveSource, readFully } from './archive-source.ts';
import { inflateBatch, inflateWhole, nextBatch, readPieces, type WholeData } from './entry-data.ts';
import { type EntryTask, type ProofControl, type ProveJob, type ProveResult, StoppedError } from './jobs.ts';
import { isUtf8Text, Utf8Check, utf16Text } from './name-decoding.ts';
import { isObservable, mayHaveReferences, observe, observeBytes } from './observe/observe.ts';
import { SitePaths } from './observe/page-references.ts';
import { ReferenceFilter } from './observe/reference-filter.ts';

/** Entries up to this size, compressed and expanded, are inflated at once, which is faster; larger ones in pieces. */
const WHOLE_BYTES = 2_097_152;

const ASCII = /^\p{ASCII}*$/u;

export interface ProofTools {
  readonly archive: ArchiveSource;
  readonly control: ProofControl;
  /** The maximum number of bytes that all entries of the call may inflate to. */
  readonly expandedBytes: number;
  /** Room for the compressed bytes of an entry that is inflated at once. */
  readonly scratch: Buffer;
  /** Filters a page's references: only some can become a warning. */
  readonly filter: () => ReferenceFilter;
}

export type EntryOutcome =
  | { readonly kind: 'proved'; readonly proof: EntryProof }
  | { readonly kind: 'broken'; readonly problems: readonly ArchiveProblem[] };

/** Room for compressed bytes: one buffer for each thread, which proves one entry at a time. */
let scratch: Buffer | undefined;
/** The site of the last job: the jobs of an archive mostly follow each other. */
let lastSite: { readonly sitePaths: string; readonly site: SitePaths } | undefined;

/** Proves a job's entries one by one. Once the call has inflated more than is allowed, all of its jobs end early. */
export async function proveEntries(
  archive: ArchiveSource,
  job: ProveJob,
  control: ProofControl,
): Promise<ProveResult> {
  scratch ??= Buffer.allocUnsafeSlow(WHOLE_BYTES);
  const filter = filterOf(job, control);
  const tools: ProofTools = { archive, control, expandedBytes: job.expandedBytes, scratch, filter };
  const problems: ArchiveProblem[] = [];
  const entries: EntryProof[] = [];
  // The number of entries left of a batch that could not be inflated together, to be proved one by one.
  let leftOfBatch = 0;
  for (let from = 0; from < job.tasks.length; ) {
    const batch = leftOfBatch > 0 ? [] : nextBatch(job.tasks, from);
    const outcomes = await untilStopped(() => proveNext(job.tasks[from] as EntryTask, batch, tools));
    if (outcomes === undefined) break;
    leftOfBatch = outcomes.length < batch.length ? batch.length - 1 : Math.max(0, leftOfBatch - 1);
    from += outcomes.length;
    for (const outcome of outcomes) {
      if (outcome.kind === 'proved') entries.push(outcome.proof);
      else problems.push(...outcome.problems);
    }
    if (problems.some(({ rule }) => rule === 'expanded_too_large')) control.stop();
  }
  return { problems, entries };
}

/** Proves a batch of small entries together, or else the next entry by itself. */
async function proveNext(
  next: EntryTask,
  batch: readonly EntryTask[],
  tools: ProofTools,
): Promise<readonly EntryOutcome[]> {
  tools.control.throwIfStopped();
  const outcomes = batch.length > 1 ? proveBatch(batch, tools) : undefined;
  return outcomes ?? [await proveEntry(next, tools)];
}

async function untilStopped<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoppedError) return undefined;
    throw error;
  }
}

/** Returns a function that creates the filter of a job's references at its first call. */
export function filterOf(job: Pick<ProveJob, 'sitePaths'>, control: ProofControl): () => ReferenceFilter {
  let filter: ReferenceFilter | undefined;
  return () => {
    filter ??= new ReferenceFilter(siteOf(job), () => control.throwIfStopped());
    return filter;
  };
}

function siteOf({ sitePaths }: Pick<ProveJob, 'sitePaths'>): SitePaths {
  if (lastSite?.sitePaths !== sitePaths) lastSite = { sitePaths, site: new SitePaths(sitePaths.split('\n')) };
  return lastSite.site;
}

/** Inflates an entry and compares size, CRC-32 and the end of its data with the directory. */
async function proveEntry(task: EntryTask, tools: ProofTools): Promise<EntryOutcome> {
  if (Math.max(task.size, task.compressedSize) > WHOLE_BYTES) return proveInPieces(task, tools);
  const outcome = proveWhole(task, tools);
  // Inflates an entry that is longer than declared up to the limits, to report whether it exceeds them.
  return outcome === 'more_than_declared' ? proveInPieces(task, tools) : outcome;
}

/** Does the same at once, for an entry up to {@link WHOLE_BYTES}. Stops at the declared size. */
export function proveWhole(task: EntryTask, tools: ProofTools): EntryOutcome | 'more_than_declared' {
  const packed = tools.scratch.subarray(0, task.compressedSize);
  const compressed = readFully(tools.archive, packed, task.dataOffset);
  const data = task.method === 8 ? inflateWhole(compressed, task.size) : storedWhole(compressed, task.size);
  if (data === 'more_than_declared') return data;
  if (data === 'corrupt') return broken(corrupt(task));
  const excess = countInflated(tools, data.bytes.length);
  if (excess !== undefined) return broken(excess);
  if (crc32(data.bytes) !== task.crc32) return broken(corrupt(task));
  const outcome = proved(task, tools, isUtf8Text(data.bytes), data.bytes);
  if (task.method === 8) freeMemory(data.bytes);
  return outcome;
}

/** Inflates and proves entries together; undefined if that fails, and each must be proved by itself. */
function proveBatch(tasks: readonly EntryTask[], tools: ProofTools): readonly EntryOutcome[] | undefined {
  const bytes = inflateBatch(tools.archive, tasks, tools.scratch);
  if (bytes === undefined) return undefined;
  const excess = countInflated(tools, bytes.length);
  if (excess !== undefined) return [broken(excess)];
  let at = 0;
  const outcomes = tasks.map((task) => {
    const entryBytes = bytes.subarray(at, at + task.size);
    at += task.size;
    return proved(task, tools, isUtf8Text(entryBytes), entryBytes);
  });
  freeMemory(bytes);
  return outcomes;
}

/** Frees the memory of a buffer at once: V8 would let that of many archives accumulate. */
function freeMemory(bytes: Buffer): void {
  if (bytes.length > Buffer.poolSize) (bytes.buffer as ArrayBuffer).transfer(0);
}

function storedWhole(bytes: Buffer, size: number): WholeData {
  if (bytes.length > size) return 'more_than_declared';
  return bytes.length === size ? { bytes } : 'corrupt';
}

/** Reads beyond the entry's own limit, but never beyond the archive's, to report both if they are exceeded. */
async function proveInPieces(task: EntryTask, tools: ProofTools): Promise<EntryOutcome> {
  const beginning: Buffer[] = [];
  const text = new Utf8Check();
  let crc = 0;
  let size = 0;
  let excess: ArchiveProblem | undefined;
  const end = await readPieces(task, tools, (piece) => {
    if (size < task.observedBytes) beginning.push(piece);
    size += piece.length;
    excess = countInflated(tools, piece.length);
    crc = crc32(piece, crc);
    text.add(piece);
    return excess === undefined;
  });
  const isSound = end === 'exact' && size === task.size && crc === task.crc32;
  if (isSound && size <= task.limit) return proved(task, tools, text.valid, Buffer.concat(beginning));
  return broken(
    ...(isSound || (end === 'stopped' && size <= task.size) ? [] : [corrupt(task)]),
    ...(size > task.limit ? [tooLarge(task)] : []),
    ...(excess === undefined ? [] : [excess]),
  );
}

function countInflated({ control, expandedBytes }: ProofTools, bytes: number): ArchiveProblem | undefined {
  return control.count(bytes) <= expandedBytes
    ? undefined
    : { rule: 'expanded_too_large', limit: expandedBytes };
}

function proved(task: EntryTask, tools: ProofTools, utf8: boolean, beginning: Buffer): EntryOutcome {
  const { entry, path, observedBytes, referenceWork: work } = task;
  const nothing = { entry, utf8, references: [], secrets: [], whole: true };
  if (path === undefined || task.size === 0) return { kind: 'proved', proof: nothing };
  if (!isObservable(path)) {
    return { kind: 'proved', proof: { ...nothing, secrets: observeBytes(path, beginning).secrets } };
  }
  if (observedBytes === 0) return { kind: 'proved', proof: { ...nothing, whole: false } };
  const bytes = beginning.subarray(0, observedBytes);
  const bounds = { work, checkpoint: () => tools.control.throwIfStopped() };
  const utf16 = utf16Text(bytes);
  // Only references need decoding: secrets are ASCII in any other encoding.
  const observation =
    mayHaveReferences(path) || utf16 !== undefined
      ? observe(path, utf16 ?? bytes.toString(utf8 ? 'utf8' : 'latin1'), bounds)
      : observeBytes(path, bytes, bounds);
  // In an unknown encoding, only ASCII names are certain.
  const legible =
    utf8 || utf16 !== undefined
      ? observation.references
      : observation.references.filter(({ target }) => ASCII.test(target));
  const references = legible.length === 0 ? [] : tools.filter().filter(path, legible);
  const modules = legible.length === 0 ? [] : tools.filter().modules(path, legible);
  const whole = observation.whole && observedBytes === task.size;
  const proof = { ...observation, entry, utf8, references, whole, ...(modules.length > 0 && { modules }) };
  return { kind: 'proved', proof };
}

function broken(...problems: readonly ArchiveProblem[]): EntryOutcome {
  return { kind: 'broken', problems };
}

function corrupt({ name: path }: EntryTask): ArchiveProblem {
  return { rule: 'corrupt_data', path };
}

function tooLarge({ name: path, limit }: EntryTask): ArchiveProblem {
  return { rule: 'file_too_large', path, limit };
}
