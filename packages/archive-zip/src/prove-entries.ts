import { crc32 } from 'node:zlib';
import type { ArchiveProblem, EntryProof } from '@pinfold/core';
import { type ArchiveSource, readFully } from './archive-source.ts';
import { firstTogether, inflateTogether, inflateWhole, readPieces, type WholeData } from './entry-data.ts';
import type { EntryTask, ProveJob, ProveResult } from './jobs.ts';
import { isUtf8Text, Utf8Check, utf16Text } from './name-decoding.ts';
import { isObservable, isReferring, observe, observeBytes } from './observe/observe.ts';
import { ReferenceSieve, SitePaths } from './observe/reference-collector.ts';

/** A job was stopped. The code that stopped it knows why. */
export class Stopped extends Error {
  override readonly name: string = 'Stopped';
}

const STOP = 0;
const BYTES_OF_STOP = 8;
const BYTES = 16;

/** State that the jobs of one call share across threads: whether to stop, and how many bytes they have inflated. */
export class ProofControl {
  readonly memory: SharedArrayBuffer;
  readonly #stop: Int32Array;
  readonly #inflated: BigInt64Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(BYTES)) {
    this.memory = memory;
    this.#stop = new Int32Array(memory, 0, 1);
    this.#inflated = new BigInt64Array(memory, BYTES_OF_STOP, 1);
  }

  /** Every job ends at its next look. */
  stop(): void {
    Atomics.store(this.#stop, STOP, 1);
  }

  throwIfStopped(): void {
    if (Atomics.load(this.#stop, STOP) !== 0) throw new Stopped();
  }

  /** Counts inflated bytes and answers how many there are in all. */
  count(bytes: number): number {
    return Number(Atomics.add(this.#inflated, 0, BigInt(bytes))) + bytes;
  }
}

/** Entries up to here, packed and unpacked, are inflated at once, which is faster; larger ones in pieces. */
export const WHOLE_BYTES = 2_097_152;

const ASCII = /^\p{ASCII}*$/u;

export interface ProofTools {
  readonly archive: ArchiveSource;
  readonly control: ProofControl;
  /** The most bytes that all entries of the call may inflate to. */
  readonly expandedBytes: number;
  /** Room for the compressed bytes of an entry that is inflated at once. */
  readonly scratch: Buffer;
  /** Filters a page's references: only some can become a warning. */
  readonly sieve: () => ReferenceSieve;
}

export type EntryOutcome =
  | { readonly kind: 'proved'; readonly proof: EntryProof }
  | { readonly kind: 'broken'; readonly problems: readonly ArchiveProblem[] };

/** Inflates an entry and compares it with what the directory says: size, CRC-32, and where its data end. */
export async function proveEntry(task: EntryTask, tools: ProofTools): Promise<EntryOutcome> {
  if (Math.max(task.size, task.compressedSize) > WHOLE_BYTES) return proveInPieces(task, tools);
  const outcome = proveWhole(task, tools);
  // An entry longer than declared is inflated up to the limits, to report by how much it exceeds them.
  return outcome === 'more_than_declared' ? proveInPieces(task, tools) : outcome;
}

/** As {@link proveEntry}, at once, for an entry up to {@link WHOLE_BYTES}; one that is longer than declared is not read on. */
export function proveWhole(task: EntryTask, tools: ProofTools): EntryOutcome | 'more_than_declared' {
  const packed = tools.scratch.subarray(0, task.compressedSize);
  const compressed = readFully(tools.archive, packed, task.dataOffset);
  const data = task.method === 8 ? inflateWhole(compressed, task.size) : storedWhole(compressed, task.size);
  if (data === 'more_than_declared') return data;
  if (data === 'corrupt') return broken(corrupt(task));
  const over = countedOver(tools, data.bytes.length);
  if (over !== undefined) return broken(over);
  if (crc32(data.bytes) !== task.crc32) return broken(corrupt(task));
  const outcome = proved(task, tools, isUtf8Text(data.bytes), data.bytes);
  if (task.method === 8) giveBack(data.bytes);
  return outcome;
}

/** Proves entries that were inflated together. Undefined if they were not: then each has to be proved by itself. */
export function proveTogether(
  tasks: readonly EntryTask[],
  tools: ProofTools,
): readonly EntryOutcome[] | undefined {
  const bytes = inflateTogether(tools.archive, tasks, tools.scratch);
  if (bytes === undefined) return undefined;
  const over = countedOver(tools, bytes.length);
  if (over !== undefined) return [broken(over)];
  let at = 0;
  const outcomes = tasks.map((task) => {
    const own = bytes.subarray(at, at + task.size);
    at += task.size;
    return proved(task, tools, isUtf8Text(own), own);
  });
  giveBack(bytes);
  return outcomes;
}

/** Memory of its own is given back at once: V8 would let that of many archives gather, and then collect them all. */
function giveBack(bytes: Buffer): void {
  if (bytes.length > Buffer.poolSize) (bytes.buffer as ArrayBuffer).transfer(0);
}

function storedWhole(bytes: Buffer, size: number): WholeData {
  if (bytes.length > size) return 'more_than_declared';
  return bytes.length === size ? { bytes } : 'corrupt';
}

/** Reads beyond the entry's own limit to find out whether the limit of all is broken, too, but never beyond that one. */
async function proveInPieces(task: EntryTask, tools: ProofTools): Promise<EntryOutcome> {
  const beginning: Buffer[] = [];
  const text = new Utf8Check();
  let crc = 0;
  let size = 0;
  let over: ArchiveProblem | undefined;
  const end = await readPieces(task, tools, (piece) => {
    if (size < task.observedBytes) beginning.push(piece);
    size += piece.length;
    over = countedOver(tools, piece.length);
    crc = crc32(piece, crc);
    text.add(piece);
    return over === undefined;
  });
  const sound = end === 'exact' && size === task.size && crc === task.crc32;
  if (sound && size <= task.limit) return proved(task, tools, text.valid, Buffer.concat(beginning));
  return broken(
    ...(sound || (end === 'left' && size <= task.size) ? [] : [corrupt(task)]),
    ...(size > task.limit ? [tooLarge(task)] : []),
    ...(over === undefined ? [] : [over]),
  );
}

function countedOver({ control, expandedBytes }: ProofTools, bytes: number): ArchiveProblem | undefined {
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
  const wide = utf16Text(bytes);
  // Secrets are ASCII in any other encoding; only names of files need more.
  const seen =
    isReferring(path) || wide !== undefined
      ? observe(path, wide ?? bytes.toString(utf8 ? 'utf8' : 'latin1'), bounds)
      : observeBytes(path, bytes, bounds);
  // In an unknown encoding, only ASCII names are certain.
  const legible =
    utf8 || wide !== undefined ? seen.references : seen.references.filter(({ target }) => ASCII.test(target));
  const references = legible.length === 0 ? [] : tools.sieve().sift(path, legible);
  const modules = legible.length === 0 ? [] : tools.sieve().modules(path, legible);
  const whole = seen.whole && observedBytes === task.size;
  const proof = { ...seen, entry, utf8, references, whole, ...(modules.length > 0 && { modules }) };
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

/** Compressed bytes on their way into the inflater; one for a thread, which proves one entry at a time. */
let scratch: Buffer | undefined;
/** The site that the thread knew last: an archive's jobs mostly come one after the other. */
let known: { readonly sitePaths: string; readonly site: SitePaths } | undefined;

/** Proves a job's entries one by one. Once the call has inflated more than is allowed, all of its jobs end early. */
export async function proveEntries(
  archive: ArchiveSource,
  job: ProveJob,
  control: ProofControl,
): Promise<ProveResult> {
  scratch ??= Buffer.allocUnsafeSlow(WHOLE_BYTES);
  const sieve = sieveOf(job, control);
  const tools: ProofTools = { archive, control, expandedBytes: job.expandedBytes, scratch, sieve };
  const problems: ArchiveProblem[] = [];
  const entries: EntryProof[] = [];
  // Entries that were tried together in vain: each is proved by itself, to find out which one is broken.
  let alone = 0;
  for (let from = 0; from < job.tasks.length; ) {
    const small = alone > 0 ? [] : firstTogether(job.tasks, from);
    const outcomes = await untilStopped(() => proveNext(job.tasks[from] as EntryTask, small, tools));
    if (outcomes === undefined) break;
    alone = outcomes.length < small.length ? small.length - 1 : Math.max(0, alone - 1);
    from += outcomes.length;
    for (const outcome of outcomes) {
      if (outcome.kind === 'proved') entries.push(outcome.proof);
      else problems.push(...outcome.problems);
    }
    if (problems.some(({ rule }) => rule === 'expanded_too_large')) control.stop();
  }
  return { problems, entries };
}

/** Proves small entries together, or else the next one by itself. */
async function proveNext(
  next: EntryTask,
  small: readonly EntryTask[],
  tools: ProofTools,
): Promise<readonly EntryOutcome[]> {
  tools.control.throwIfStopped();
  const together = small.length > 1 ? proveTogether(small, tools) : undefined;
  return together ?? [await proveEntry(next, tools)];
}

async function untilStopped<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Stopped) return undefined;
    throw error;
  }
}

/** The filter of a job's references, made for the first page that has any. */
export function sieveOf(job: Pick<ProveJob, 'sitePaths'>, control: ProofControl): () => ReferenceSieve {
  let opened: ReferenceSieve | undefined;
  return () => {
    opened ??= new ReferenceSieve(siteOf(job), () => control.throwIfStopped());
    return opened;
  };
}

function siteOf({ sitePaths }: Pick<ProveJob, 'sitePaths'>): SitePaths {
  if (known?.sitePaths !== sitePaths) known = { sitePaths, site: new SitePaths(sitePaths.split('\n')) };
  return known.site;
}
