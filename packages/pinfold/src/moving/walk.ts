import type { ArchiveId, RoleId, Sha256 } from '@pinfold/core';
import type { MovedRecord } from '@pinfold/core/moving';
import { CommandFailure } from '../command-line/failures.ts';
import { type MovingArchive, toFailure, unreadable } from './archives.ts';
import type { Progress } from './progress.ts';

/** The number of archives read, and the number stored, at the same time. Each is held in memory as a whole. */
const CONCURRENCY = 4;

/** An archive and its publication. */
export interface Finding {
  readonly archive: ArchiveId;
  readonly pin: RoleId;
}

/** An archive that a record names. Kept small, because an export may have millions. */
interface NamedArchive extends Finding {
  readonly sha256: Sha256;
  readonly bytes: number;
  /** Whether the source has it as the record says, as far as it was read. */
  state: 'missing' | 'altered' | 'sound';
}

/** Gives a walk the records of an export first, then its archives. Returns the archives that it says it lacks. */
export type Source = (walk: Walk) => Promise<readonly ArchiveId[]>;

/** Receives the records of an export first, then its archives, then its end. */
export interface Destination {
  /** Yields the archives that it has already. */
  begin?(): AsyncIterable<ArchiveId>;
  records?(records: readonly MovedRecord[]): Promise<void>;
  /** Stores an archive that is as its record says. Called in the order of the source, several at the same time. */
  store?(archive: MovingArchive, pin: RoleId): Promise<void>;
  /** Receives what cannot be read. Without it, the first one ends the walk. */
  onFailure?(failure: CommandFailure): void;
  end?(walk: Walk): Promise<void>;
}

/** Moves an export from a source to a destination, and compares each archive with its record. */
export async function walk(source: Source, to: Destination, progress: Progress): Promise<Walk> {
  const moving = new Walk(to, progress);
  try {
    moving.known = new Set(await source(moving));
  } catch (error) {
    await moving.settle().catch(() => undefined);
    // Before it began, the source was not known to be an export.
    if (!moving.hasBegun || !(error instanceof CommandFailure)) throw error;
    moving.fail(error);
  }
  // The source may have no records.
  await moving.records([]);
  await moving.settle();
  await to.end?.(moving);
  return moving;
}

/** A walk, and its result at its end. */
export class Walk {
  /** The archives that the records so far name. */
  readonly named: Map<ArchiveId, NamedArchive> = new Map();
  /** Archives of publications in service that are missing at the source, or that their records no longer name. */
  readonly lost: Finding[] = [];
  /** Archives that the source says it lacks. */
  known: ReadonlySet<ArchiveId> = new Set();
  /** Archives of the source that no record names. */
  readonly unnamed: ArchiveId[] = [];
  recordCount = 0;
  /** The number of archives that the destination did not have before. */
  copied = 0;
  hasBegun = false;
  readonly #to: Destination;
  readonly #progress: Progress;
  readonly #publications: Set<RoleId> = new Set();
  readonly #present: Set<ArchiveId> = new Set();
  readonly #reading: Promise<void>[] = [];
  readonly #storing: Promise<void>[] = [];

  constructor(to: Destination, progress: Progress) {
    this.#to = to;
    this.#progress = progress;
  }

  /** The archives of the export. */
  get archives(): ReadonlySet<ArchiveId> {
    const archives = new Set(this.named.keys());
    for (const { archive } of this.broken) archives.delete(archive);
    return archives;
  }

  /** The archives that the source does not have as records say, in order of their ids. */
  get absent(): readonly NamedArchive[] {
    const absent = [...this.named.values()].filter(({ state }) => state !== 'sound');
    return absent.sort((one, other) => (one.archive < other.archive ? -1 : 1));
  }

  /** Those of them that the destination does not have either. */
  get broken(): readonly NamedArchive[] {
    return this.absent.filter(({ archive }) => !this.#present.has(archive));
  }

  /** Receives what cannot be read, and throws it or lets the source continue. */
  fail(failure: CommandFailure): void {
    if (this.#to.onFailure === undefined) throw failure;
    this.#to.onFailure(failure);
  }

  /** Reads something of the source; `undefined` if it cannot be read and the source continues nevertheless. */
  async attempt<Result>(name: string, read: () => Promise<Result>): Promise<Result | undefined> {
    try {
      return await read();
    } catch (error) {
      this.fail(toFailure(name, error));
      return undefined;
    }
  }

  /** With the first records, even none, the destination begins. Until then, an invalid source has changed nothing. */
  async records(records: readonly MovedRecord[]): Promise<void> {
    if (!this.hasBegun) for await (const id of this.#to.begin?.() ?? []) this.#present.add(id);
    this.hasBegun = true;
    for (const record of records) this.#note(record);
    await this.#to.records?.(records);
    this.recordCount += records.length;
    this.#progress({ records: records.length }, this.named.size);
  }

  /** Receives the id of an archive that the source has. Returns whether the destination needs it. */
  find(id: ArchiveId): boolean {
    const named = this.named.get(id);
    if (named === undefined) this.unnamed.push(id);
    // A tar may have it twice.
    if (named === undefined || named.state === 'sound') return false;
    named.state = 'sound';
    if (!this.#present.has(id)) return true;
    this.#progress({ archives: 1 }, this.named.size);
    return false;
  }

  /**
   * Reads and moves a named archive. When this returns, it may not be read yet.
   *
   * @param load returns `undefined` if the archive is missing.
   */
  async move(id: ArchiveId, load: () => Promise<MovingArchive | undefined>): Promise<void> {
    const loading = this.attempt(`archive ${id}`, async () => (await load()) ?? 'missing');
    // In turn, so that archives are stored in the order of the source.
    const moved = Promise.all([loading, this.#reading.at(-1)]).then(([loaded]) => this.take(id, loaded));
    await enqueue(this.#reading, moved);
  }

  /**
   * Moves a named archive that was read. Returns when few enough are being stored.
   *
   * @param loaded `undefined` if it cannot be read, which was reported.
   */
  async take(id: ArchiveId, loaded: MovingArchive | 'missing' | undefined): Promise<void> {
    const archive = loaded === 'missing' ? undefined : loaded;
    this.#progress({ archives: 1, bytes: archive?.size }, this.named.size);
    const named = this.named.get(id);
    if (named === undefined) return;
    // What cannot be read is not missing.
    named.state = loaded === 'missing' ? 'missing' : 'sound';
    if (archive === undefined) return;
    if (archive.sha256 !== named.sha256 || archive.size !== named.bytes) {
      named.state = 'altered';
      return;
    }
    this.copied += 1;
    await enqueue(this.#storing, Promise.resolve(this.#to.store?.(archive, named.pin)));
  }

  /** Waits for all archives. */
  async settle(): Promise<void> {
    await Promise.all(this.#reading);
    await Promise.all(this.#storing);
  }

  #note({ kind, value }: MovedRecord): void {
    if (kind === 'publication') this.#publications.add(value.id);
    if (kind === 'publication' && value.manifest !== null) {
      const { archive, id: pin, sha256, archiveBytes: bytes } = value;
      this.named.set(archive, { archive, pin, sha256, bytes, state: 'missing' });
    }
    if (kind === 'removal') this.named.delete(value.archive);
    // The database would throw a fault with a less helpful message.
    if (kind === 'name' && !this.#publications.has(value.role)) {
      const shown = `${value.role}, a publication that the export does not have`;
      this.fail(unreadable(`the name ${value.name} shows ${shown}`));
    }
  }
}

/** Adds a running task, and waits for the oldest one if too many run. */
async function enqueue(running: Promise<void>[], task: Promise<void>): Promise<void> {
  // Awaited later: until then a rejection must not count as unhandled.
  task.catch(() => undefined);
  if (running.push(task) >= CONCURRENCY) await running.shift();
}
