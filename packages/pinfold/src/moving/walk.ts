import type { ArchiveId, RoleId, Sha256 } from '@pinfold/core';
import type { MovedRecord } from '@pinfold/core/moving';
import { CommandFailure } from '../command-line/failures.ts';
import { CONCURRENCY, type MovingArchive } from './archives.ts';
import type { Progress } from './progress.ts';

/** The data of a record that its archive is checked against. Kept small, because an export may have millions. */
export interface NamedArchive {
  readonly pin: RoleId;
  readonly sha256: Sha256;
  readonly bytes: number;
}

/** An archive that a publication lacks. */
export interface Gap {
  readonly kind: 'gap';
  /** `removed`: its record no longer names it. */
  readonly fault: 'missing' | 'altered' | 'removed';
  readonly archive: ArchiveId;
  readonly pin: RoleId;
  /** Whether its publication is in service nevertheless. */
  readonly isLost: boolean;
  /** Whether the source itself says that it lacks the archive. */
  readonly isKnown: boolean;
}

export type Step =
  | { readonly kind: 'records'; readonly records: readonly MovedRecord[] }
  /** `loaded` is undefined if the archive is not needed, or cannot be read. */
  | { readonly kind: 'archive'; readonly id: ArchiveId; readonly loaded: MovingArchive | undefined }
  | Gap;

/** The source of an export: yields its records first, then its archives, then the gaps that it knows. */
export type Source = (walk: Walk) => AsyncIterable<Step>;

/** The destination of an export: receives its records first, then its archives, then its end. */
export interface Destination {
  /** The number of archives to read, chosen at random. Default: all that it does not have. */
  readonly sample?: number | undefined;
  /** Yields the archives that it has already. */
  begin?(): AsyncIterable<ArchiveId>;
  records?(records: readonly MovedRecord[]): Promise<void>;
  /** Stores an archive that has the SHA-256 and the size of its record. Several are stored at the same time. */
  store?(archive: MovingArchive, named: NamedArchive): Promise<void>;
  /** Receives an item that cannot be read. Without it, the first one ends the walk. */
  onFailure?(failure: CommandFailure): void;
  end?(walk: Walk): Promise<void>;
}

/**
 * Moves an export from a source to a destination, and compares each archive with its record. The destination begins
 * with the first step, so that an invalid source changes nothing.
 */
export async function walk(source: Source, to: Destination, progress: Progress): Promise<Walk> {
  const moving = new Walk(to, progress);
  let hasBegun = false;
  try {
    for await (const step of source(moving)) {
      if (!hasBegun) await moving.begin();
      hasBegun = true;
      await moving.take(step);
    }
  } catch (error) {
    // If no step was read, the source is not an export.
    if (!hasBegun || !(error instanceof CommandFailure)) throw error;
    moving.onFailure(error);
  }
  // The source has no records.
  if (!hasBegun) await moving.begin();
  await moving.end();
  return moving;
}

/** A walk, and its result at its end. */
export class Walk {
  /** The archives that the records so far name. */
  readonly named: Map<ArchiveId, NamedArchive> = new Map();
  /** The archives of the export. */
  readonly archives: Set<ArchiveId> = new Set();
  /** Archives of the source that no record names. */
  readonly unnamed: ArchiveId[] = [];
  readonly gaps: Map<ArchiveId, Gap> = new Map();
  /** The number of records. */
  records = 0;
  /** The number of archives that the destination did not have before. */
  copied = 0;
  readonly #to: Destination;
  readonly #progress: Progress;
  readonly #present: Set<ArchiveId> = new Set();
  readonly #altered: Set<ArchiveId> = new Set();
  readonly #running: Promise<void>[] = [];
  #sample: ReadonlySet<ArchiveId> | undefined;

  constructor(to: Destination, progress: Progress) {
    this.#to = to;
    this.#progress = progress;
  }

  /** Archives that are missing or altered at the source, and that the destination does not have. */
  get broken(): readonly Gap[] {
    return [...this.gaps.values()].filter(
      ({ fault, archive }) => fault !== 'removed' && !this.#present.has(archive),
    );
  }

  /** Archives of publications in service that were removed or are missing at the source. */
  get lost(): readonly Gap[] {
    return [...this.gaps.values()].filter(({ isLost }) => isLost);
  }

  /** Whether an archive must be read: not if the destination has it already. */
  needs(id: ArchiveId): boolean {
    const { sample } = this.#to;
    if (sample !== undefined) this.#sample ??= chooseSample(this.named.keys(), sample);
    const isNew = this.named.has(id) && !this.archives.has(id) && !this.#present.has(id);
    return isNew && this.#sample?.has(id) !== false;
  }

  /** The archives that records name and the source has not yielded as they should be, in order of their ids. */
  absent(): readonly Gap[] {
    const absent = [...this.named].filter(([id]) => !this.archives.has(id) && !this.gaps.has(id));
    const gaps = absent.map(([archive, { pin }]): Gap => {
      const fault = this.#altered.has(archive) ? 'altered' : 'missing';
      return { kind: 'gap', fault, archive, pin, isLost: false, isKnown: false };
    });
    return gaps.sort((one, other) => (one.archive < other.archive ? -1 : 1));
  }

  /** Receives an item that cannot be read, and throws it or lets the source continue. */
  onFailure(failure: CommandFailure): void {
    if (this.#to.onFailure === undefined) throw failure;
    this.#to.onFailure(failure);
  }

  async begin(): Promise<void> {
    for await (const id of this.#to.begin?.() ?? []) this.#present.add(id);
  }

  async take(step: Step): Promise<void> {
    if (step.kind === 'records') {
      await this.#takeRecords(step.records);
    } else if (step.kind === 'archive') {
      await this.#takeArchive(step.id, step.loaded);
    } else {
      this.gaps.set(step.archive, step);
      if (step.fault !== 'removed' && this.#present.has(step.archive)) this.archives.add(step.archive);
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.#running);
    for (const gap of this.absent()) await this.take(gap);
    await this.#to.end?.(this);
  }

  async #takeRecords(records: readonly MovedRecord[]): Promise<void> {
    for (const { kind, value } of records) {
      if (kind === 'removal') this.named.delete(value.archive);
      if (kind === 'publication' && value.manifest !== null)
        this.named.set(value.archive, { pin: value.id, sha256: value.sha256, bytes: value.archiveBytes });
    }
    await this.#to.records?.(records);
    this.records += records.length;
    this.#progress({ records: records.length }, this.named.size);
  }

  async #takeArchive(id: ArchiveId, loaded: MovingArchive | undefined): Promise<void> {
    const named = this.named.get(id);
    if (named === undefined) {
      this.unnamed.push(id);
      return;
    }
    if (loaded === undefined) {
      this.archives.add(id);
    } else if (loaded.sha256 === named.sha256 && loaded.size === named.bytes) {
      this.archives.add(id);
      this.copied += 1;
      const stored = Promise.resolve(this.#to.store?.(loaded, named));
      // Awaited later: until then a rejection must not count as unhandled.
      stored.catch(() => undefined);
      if (this.#running.push(stored) >= CONCURRENCY) await this.#running.shift();
    } else {
      this.#altered.add(id);
    }
    this.#progress({ archives: 1, bytes: loaded?.size }, this.named.size);
  }
}

/** Chooses `count` ids at random. */
function chooseSample(ids: Iterable<ArchiveId>, count: number): ReadonlySet<ArchiveId> {
  const shuffled = Array.from(ids, (id) => ({ id, order: Math.random() }));
  shuffled.sort((one, other) => one.order - other.order);
  return new Set(shuffled.slice(0, count).map(({ id }) => id));
}
