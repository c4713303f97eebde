import type { EntryPath, EntryProof, ListedEntry } from '@pinfold/core';
import type { EntryTask } from './jobs.ts';

/*
 * Entries are sent between threads as columns. Objects are serialized with the names of their members, which takes as long
 * for thousands of entries as inflating them.
 */

export interface PackedEntries {
  readonly names: readonly string[];
  /** {@link NUMBERS_PER_ENTRY} numbers for each entry. */
  readonly numbers: Float64Array;
  /** The indexes of entries that are AppleDouble. */
  readonly appleDouble: readonly number[];
}

export interface PackedTasks {
  readonly names: readonly string[];
  readonly paths: readonly (EntryPath | undefined)[];
  /** {@link NUMBERS_PER_TASK} numbers for each entry. */
  readonly numbers: Float64Array;
}

/** Proofs. A number stands for a proof without findings, as most are: see {@link numberOf}. */
export type PackedProofs = readonly (number | EntryProof)[];

const NUMBERS_PER_ENTRY = 8;
const NUMBERS_PER_TASK = 9;

export function packEntries(entries: readonly ListedEntry[]): PackedEntries {
  const numbers = new Float64Array(entries.length * NUMBERS_PER_ENTRY);
  const appleDouble: number[] = [];
  let at = 0;
  for (const [index, entry] of entries.entries()) {
    if (entry.appleDouble === true) appleDouble.push(index);
    numbers[at] = entry.host;
    numbers[at + 1] = entry.externalAttributes;
    numbers[at + 2] = entry.flags;
    numbers[at + 3] = entry.method;
    numbers[at + 4] = entry.crc32;
    numbers[at + 5] = entry.compressedSize;
    numbers[at + 6] = entry.size;
    numbers[at + 7] = entry.dataOffset;
    at += NUMBERS_PER_ENTRY;
  }
  return { names: entries.map(({ name }) => name), numbers, appleDouble };
}

export function unpackEntries({ names, numbers, appleDouble }: PackedEntries): readonly ListedEntry[] {
  const numberAt = (at: number): number => numbers[at] ?? 0;
  const appleDoubleIndexes = new Set(appleDouble);
  return names.map((name, index) => {
    const at = index * NUMBERS_PER_ENTRY;
    const entry = {
      name,
      host: numberAt(at),
      externalAttributes: numberAt(at + 1),
      flags: numberAt(at + 2),
      method: numberAt(at + 3),
      crc32: numberAt(at + 4),
      compressedSize: numberAt(at + 5),
      size: numberAt(at + 6),
      dataOffset: numberAt(at + 7),
    };
    return appleDoubleIndexes.has(index) ? { ...entry, appleDouble: true } : entry;
  });
}

export function packTasks(tasks: readonly EntryTask[]): PackedTasks {
  const numbers = new Float64Array(tasks.length * NUMBERS_PER_TASK);
  let at = 0;
  for (const task of tasks) {
    numbers[at] = task.entry;
    numbers[at + 1] = task.limit;
    numbers[at + 2] = task.method;
    numbers[at + 3] = task.crc32;
    numbers[at + 4] = task.compressedSize;
    numbers[at + 5] = task.size;
    numbers[at + 6] = task.dataOffset;
    numbers[at + 7] = task.observedBytes;
    numbers[at + 8] = task.referenceWork;
    at += NUMBERS_PER_TASK;
  }
  return { names: tasks.map(({ name }) => name), paths: tasks.map(({ path }) => path), numbers };
}

export function unpackTasks({ names, paths, numbers }: PackedTasks): readonly EntryTask[] {
  const numberAt = (at: number): number => numbers[at] ?? 0;
  return names.map((name, index) => {
    const at = index * NUMBERS_PER_TASK;
    const path = paths[index];
    const task = {
      entry: numberAt(at),
      name,
      limit: numberAt(at + 1),
      method: numberAt(at + 2),
      crc32: numberAt(at + 3),
      compressedSize: numberAt(at + 4),
      size: numberAt(at + 5),
      dataOffset: numberAt(at + 6),
      observedBytes: numberAt(at + 7),
      referenceWork: numberAt(at + 8),
    };
    return path === undefined ? task : { ...task, path };
  });
}

export function packProofs(proofs: readonly EntryProof[]): PackedProofs {
  return proofs.map((proof) => numberOf(proof) ?? proof);
}

export function unpackProofs(packed: PackedProofs): readonly EntryProof[] {
  return packed.map((proof) =>
    typeof proof === 'number'
      ? bareProof(proof >> 2, { utf8: (proof & 2) !== 0, whole: (proof & 1) !== 0 })
      : proof,
  );
}

/** One list for all proofs, of which there are thousands. */
const NONE: readonly never[] = [];

/** The proof of an entry without findings. */
export function bareProof(entry: number, { utf8, whole }: Pick<EntryProof, 'utf8' | 'whole'>): EntryProof {
  return { entry, utf8, references: NONE, secrets: NONE, whole };
}

const BARE_MEMBERS = Object.keys(bareProof(0, { utf8: true, whole: true })).length;

/** The entry and the two flags of a {@link bareProof}. */
function numberOf(proof: EntryProof): number | undefined {
  const { entry, utf8, references, secrets, whole } = proof;
  const isBare = references.length + secrets.length === 0 && Object.keys(proof).length === BARE_MEMBERS;
  return isBare ? (entry << 2) | (utf8 ? 2 : 0) | (whole ? 1 : 0) : undefined;
}
