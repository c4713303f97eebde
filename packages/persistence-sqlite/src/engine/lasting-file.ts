import { Fault } from '@pinfold/core';
import type { Reserve } from './ballast.ts';
import { isFull, isOfSqlite, spoilsConnection } from './sqlite-errors.ts';
import { SqliteFile } from './sqlite-file.ts';

/** A file that stays open. After an error that may have made it unusable it is opened anew, without a restart. */
export class LastingFile {
  readonly #file: string;
  readonly #reserve: Pick<Reserve, 'lend' | 'keep'>;
  #opened: SqliteFile | undefined;
  #isClosed = false;

  constructor(file: string, reserve: Pick<Reserve, 'lend' | 'keep'>) {
    this.#file = file;
    this.#reserve = reserve;
  }

  /** Works with the open file. Errors of SQLite and of the system come out as they are. */
  attempt<Result>(work: (file: SqliteFile) => Result): Result {
    this.#refuseClosed();
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
   * Runs statements in one transaction, which holds the lock of writers from its beginning. On a full disk it uses the
   * ballast if it may: a cleanup, which frees space, or a change that ends access, which cannot wait for space.
   */
  change<Result>(work: (file: SqliteFile) => Result, usesReserve = false): Result {
    const change = (): Result =>
      this.attempt((file) => file.transaction('BEGIN IMMEDIATE', () => work(file)));
    if (!usesReserve) return change();
    const result = this.#withReserve(change, () => this.#emptyLog());
    this.keepReserve();
    return result;
  }

  /** Refills the ballast after a change that may use it: archives removed since the last one have freed room. */
  keepReserve(): void {
    this.#reserve.keep();
  }

  /** Another connection with a read transaction until it is closed; others can write meanwhile, and the log grows. */
  readTransaction(): SqliteFile {
    this.#refuseClosed();
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

  /** Lets go of the file, for good. */
  close(): void {
    this.#isClosed = true;
    this.#drop();
  }

  #refuseClosed(): void {
    if (this.#isClosed) throw new Fault('store_unavailable', 'the database was closed');
  }

  /** Retries on a full disk with the ballast. */
  #withReserve<Result>(attempt: () => Result, before = (): void => {}): Result {
    try {
      return attempt();
    } catch (error) {
      if (!isFull(error)) throw error;
      return this.#reserve.lend(() => {
        before();
        return attempt();
      });
    }
  }

  /** May free much. A log that cannot be truncated, for lack of room or because of a reader, does no harm. */
  #emptyLog(): void {
    try {
      this.attempt((file) => file.emptyLog());
    } catch (error) {
      if (!isOfSqlite(error)) throw error;
    }
  }

  /** Works on a full disk too: reads need room only for the memory that connections share. */
  #open(): SqliteFile {
    const opened = this.#withReserve(() => new SqliteFile(this.#file));
    this.#reserve.keep();
    return opened;
  }

  #drop(): void {
    this.#opened?.close();
    this.#opened = undefined;
  }
}
