import type { EntryPath, EntryProof, ListedEntry } from '@pinfold/core';
import type { EntryTask } from './jobs.ts';

/*
 * How entries travel between threads: in columns. As objects, each would take the names of its members along, and
 * thousands of them would take as long as inflating what they stand for.
 */

/** Listed entries in columns. */
export interface PackedEntries {
  readonly names: readonly string[];
  /** {@link ENTRY_FIGURES} of one entry after those of another. */
  readonly figures: Float64Array;
  /** The places of those that are AppleDouble. */
  readonly appleDouble: readonly number[];
}

/** Entries to prove in columns. */
export interface PackedTasks {
  readonly names: readonly string[];
  readonly paths: readonly (EntryPath | undefined)[];
  /** {@link TASK_FIGURES} of one entry after those of another. */
  readonly figures: Float64Array;
}

/** Proofs, of which one that says nothing beyond UTF-8 is the number of its entry. */
export type PackedProofs = readonly (number | EntryProof)[];

const ENTRY_FIGURES = 8;
const TASK_FIGURES = 9;

export function packEntries(entries: readonly ListedEntry[]): PackedEntries {
  const figures = new Float64Array(entries.length * ENTRY_FIGURES);
  const appleDouble: number[] = [];
  let at = 0;
  for (const [index, entry] of entries.entries()) {
    if (entry.appleDouble === true) appleDouble.push(index);
    figures[at] = entry.host;
    figures[at + 1] = entry.externalAttributes;
    figures[at + 2] = entry.flags;
    figures[at + 3] = entry.method;
    figures[at + 4] = entry.crc32;
    figures[at + 5] = entry.compressedSize;
    figures[at + 6] = entry.size;
    figures[at + 7] = entry.dataOffset;
    at += ENTRY_FIGURES;
  }
  return { names: entries.map(({ name }) => name), figures, appleDouble };
}

export function unpackEntries({ names, figures, appleDouble }: PackedEntries): readonly ListedEntry[] {
  const figure = (at: number): number => figures[at] ?? 0;
  const apples = new Set(appleDouble);
  return names.map((name, index) => {
    const at = index * ENTRY_FIGURES;
    const entry = {
      name,
      host: figure(at),
      externalAttributes: figure(at + 1),
      flags: figure(at + 2),
      method: figure(at + 3),
      crc32: figure(at + 4),
      compressedSize: figure(at + 5),
      size: figure(at + 6),
      dataOffset: figure(at + 7),
    };
    return apples.has(index) ? { ...entry, appleDouble: true } : entry;
  });
}

export function packTasks(tasks: readonly EntryTask[]): PackedTasks {
  const figures = new Float64Array(tasks.length * TASK_FIGURES);
  let at = 0;
  for (const task of tasks) {
    figures[at] = task.entry;
    figures[at + 1] = task.limit;
    figures[at + 2] = task.method;
    figures[at + 3] = task.crc32;
    figures[at + 4] = task.compressedSize;
    figures[at + 5] = task.size;
    figures[at + 6] = task.dataOffset;
    figures[at + 7] = task.observedBytes;
    figures[at + 8] = task.referenceWork;
    at += TASK_FIGURES;
  }
  return { names: tasks.map(({ name }) => name), paths: tasks.map(({ path }) => path), figures };
}

export function unpackTasks({ names, paths, figures }: PackedTasks): readonly EntryTask[] {
  const figure = (at: number): number => figures[at] ?? 0;
  return names.map((name, index) => {
    const at = index * TASK_FIGURES;
    const path = paths[index];
    const task = {
      entry: figure(at),
      name,
      limit: figure(at + 1),
      method: figure(at + 2),
      crc32: figure(at + 3),
      compressedSize: figure(at + 4),
      size: figure(at + 5),
      dataOffset: figure(at + 6),
      observedBytes: figure(at + 7),
      referenceWork: figure(at + 8),
    };
    return path === undefined ? task : { ...task, path };
  });
}

export function packProofs(proofs: readonly EntryProof[]): PackedProofs {
  return proofs.map((proof) => (saysNothing(proof) ? proof.entry : proof));
}

export function unpackProofs(packed: PackedProofs): readonly EntryProof[] {
  return packed.map((proof) => (typeof proof === 'number' ? nothingOf(proof) : proof));
}

/** The proof of an entry of which nothing is to be told. */
export function nothingOf(entry: number): EntryProof {
  return { entry, utf8: true, references: [], secrets: [], whole: true };
}

function saysNothing({ utf8, whole, references, secrets, ...others }: EntryProof): boolean {
  const isBare = Object.keys(others).length === 1;
  return isBare && utf8 && whole && references.length === 0 && secrets.length === 0;
}
