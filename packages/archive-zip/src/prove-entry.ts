import { crc32 } from 'node:zlib';
import type { ArchiveProblem, EntryProof } from '@pinfold/core';
import { type ArchiveSource, readFully } from './archive-source.ts';
import { inflateWhole, readPieces, type WholeData } from './entry-data.ts';
import { inflateTogether } from './inflate-together.ts';
import type { EntryTask } from './jobs.ts';
import { isObservable, isReferring, observe, observeBytes } from './observe/observe.ts';
import type { ReferenceSieve } from './observe/reference-sieve.ts';
import type { ProofControl } from './proof-control.ts';
import { isUtf8Text, Utf8Check } from './utf8-check.ts';
import { utf16Text } from './utf16-text.ts';

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
