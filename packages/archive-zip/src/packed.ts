import type { EntryPath, EntryProof, ListedEntry } from '@pinfold/core';
import type { EntryTask } from './jobs.ts';

/*
 * How entries travel between threads: in columns. As objects, each would take the names of its members along, and
 * thousands of them would take as long as inflating what they stand for.
 */

/** Listed entries in columns. */
export interface PackedEntries {
  readonly names: readonly string[];
  /** {@link NUMBERS_OF_ENTRY} of one entry after those of another. */
  readonly numbers: Float64Array;
  /** The places of those that are AppleDouble. */
  readonly appleDouble: readonly number[];
}

/** Entries to prove in columns. */
export interface PackedTasks {
  readonly names: readonly string[];
  readonly paths: readonly (EntryPath | undefined)[];
  /** {@link NUMBERS_OF_TASK} of one entry after those of another. */
  readonly numbers: Float64Array;
}

/** Proofs, of which one that says nothing beyond UTF-8 is the number of its entry. */
export type PackedProofs = readonly (number | EntryProof)[];

const NUMBERS_OF_ENTRY = 8;
const NUMBERS_OF_TASK = 9;

export function packEntries(entries: readonly ListedEntry[]): PackedEntries {
  const numbers = new Float64Array(entries.length * NUMBERS_OF_ENTRY);
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
    at += NUMBERS_OF_ENTRY;
  }
  return { names: entries.map(({ name }) => name), numbers, appleDouble };
}

export function unpackEntries({ names, numbers, appleDouble }: PackedEntries): readonly ListedEntry[] {
  const numberAt = (at: number): number => numbers[at] ?? 0;
  const apples = new Set(appleDouble);
  return names.map((name, index) => {
    const at = index * NUMBERS_OF_ENTRY;
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
    return apples.has(index) ? { ...entry, appleDouble: true } : entry;
  });
}

export function packTasks(tasks: readonly EntryTask[]): PackedTasks {
  const numbers = new Float64Array(tasks.length * NUMBERS_OF_TASK);
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
    at += NUMBERS_OF_TASK;
  }
  return { names: tasks.map(({ name }) => name), paths: tasks.map(({ path }) => path), numbers };
}

export function unpackTasks({ names, paths, numbers }: PackedTasks): readonly EntryTask[] {
  const numberAt = (at: number): number => numbers[at] ?? 0;
  return names.map((name, index) => {
    const at = index * NUMBERS_OF_TASK;
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
  return proofs.map((proof) => (isPlain(proof) ? proof.entry : proof));
}

export function unpackProofs(packed: PackedProofs): readonly EntryProof[] {
  return packed.map((proof) => (typeof proof === 'number' ? nothingOf(proof) : proof));
}

/** The proof of an entry of which nothing is to be told. */
export function nothingOf(entry: number): EntryProof {
  return { entry, utf8: true, references: [], secrets: [], whole: true };
}

function isPlain({ utf8, whole, references, secrets, ...others }: EntryProof): boolean {
  const isBare = Object.keys(others).length === 1;
  return isBare && utf8 && whole && references.length === 0 && secrets.length === 0;
}
