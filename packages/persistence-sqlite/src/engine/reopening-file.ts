import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync, rmSync, writeSync } from 'node:fs';
import { Fault } from '@pinfold/core';
import { systemCodeOf } from '@pinfold/core/internal';
import { isFull, isOfSqlite, spoilsConnection } from './sqlite-errors.ts';
import { SqliteFile } from './sqlite-file.ts';

/** The size of the reserve, in bytes: many times as much as a cleanup writes before it has removed its first archives. */
export const RESERVE = 1_048_576;

/** Reserves disk space in a file next to the database, for changes that free more or end access; no error if it cannot. */
export class DiskReserve {
  readonly #file: string;
  #isFull = false;
  #isLent = false;

  constructor(database: string) {
    this.#file = `${database}-reserve`;
  }

  /** Frees the space while the task runs, synchronously so that nothing else uses it, then refills the reserve. */
  releaseDuring<Result>(task: () => Result): Result {
    if (this.#isLent) return task();
    this.#isLent = true;
    this.#isFull = false;
    unlessRefused(() => rmSync(this.#file, { force: true }));
    try {
      return task();
    } finally {
      this.#isLent = false;
      this.refill();
    }
  }

  /** Refills the reserve as far as there is room. */
  refill(): void {
    if (this.#isFull || this.#isLent) return;
    unlessRefused(() => {
      const descriptor = openSync(this.#file, 'a', 0o600);
      try {
        let missing = RESERVE - fstatSync(descriptor).size;
        // Random bytes, because a compressing file system would reserve no room for others.
        while (missing > 0) missing -= writeSync(descriptor, randomBytes(missing));
        this.#isFull = true;
      } finally {
        closeSync(descriptor);
      }
    });
  }
}

function unlessRefused(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
  }
}

/**
 * A file that stays open, and is opened again after an error that may have made it unusable. It is created at most once: a
 * file that is missing later was moved, or its volume is not mounted.
 */
export class ReopeningFile {
  readonly #file: string;
  readonly #reserve: Pick<DiskReserve, 'releaseDuring' | 'refill'>;
  #mustExist: boolean;
  #opened: SqliteFile | undefined;
  #isClosed = false;

  constructor(
    file: string,
    reserve: Pick<DiskReserve, 'releaseDuring' | 'refill'>,
    { mustExist = false }: { readonly mustExist?: boolean } = {},
  ) {
    this.#file = file;
    this.#reserve = reserve;
    this.#mustExist = mustExist;
  }

  /** Works with the open file. Does not convert errors of SQLite and the system. */
  attempt<Result>(work: (file: SqliteFile) => Result): Result {
    this.#requireOpen();
    this.#opened ??= this.#open();
    try {
      this.#opened.flushRecoveredLog();
      return work(this.#opened);
    } catch (error) {
      if (spoilsConnection(error)) this.#drop();
      throw error;
    }
  }

  /**
   * Runs statements in one transaction, which holds the write lock from its beginning. On a full disk it uses the reserve
   * if it may: for a cleanup, which frees space, or a change that ends access, which cannot wait for space.
   */
  change<Result>(work: (file: SqliteFile) => Result, usesReserve = false): Result {
    const change = (): Result =>
      this.attempt((file) => file.transaction('BEGIN IMMEDIATE', () => work(file)));
    if (!usesReserve) return change();
    const result = this.#withReserve(change, () => this.#emptyLog());
    this.refillReserve();
    return result;
  }

  /** Refills the reserve after a change that may use it: removed archives may have freed room meanwhile. */
  refillReserve(): void {
    this.#reserve.refill();
  }

  /** Opens another connection with a read transaction, until it is closed. Meanwhile others can write; the log grows. */
  readTransaction(): SqliteFile {
    this.#requireOpen();
    const opened = this.#open();
    try {
      opened.flushRecoveredLog();
      opened.exec('BEGIN; SELECT 1 FROM schema_state');
      return opened;
    } catch (error) {
      opened.close();
      throw error;
    }
  }

  /** Closes the file; it cannot be used again. */
  close(): void {
    this.#isClosed = true;
    this.#drop();
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new Fault('store_unavailable', 'the database was closed');
  }

  /** Retries on a full disk with the reserve. */
  #withReserve<Result>(attempt: () => Result, before = (): void => {}): Result {
    try {
      return attempt();
    } catch (error) {
      if (!isFull(error)) throw error;
      return this.#reserve.releaseDuring(() => {
        before();
        return attempt();
      });
    }
  }

  /** Truncates the log, to free space. Best effort: ignores a lack of room, or a reader. */
  #emptyLog(): void {
    try {
      this.attempt((file) => file.emptyLog());
    } catch (error) {
      if (!isOfSqlite(error)) throw error;
    }
  }

  /** Opens the file, also on a full disk: SQLite then needs the reserve for the memory that connections share. */
  #open(): SqliteFile {
    const opened = this.#withReserve(() => new SqliteFile(this.#file, { mustExist: this.#mustExist }));
    this.#mustExist = true;
    this.#reserve.refill();
    return opened;
  }

  #drop(): void {
    this.#opened?.close();
    this.#opened = undefined;
  }
}
