import { closeSync, fsyncSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { basename } from 'node:path';
import { Fault } from '@pinfold/core';
import { markRefusal } from '@pinfold/core/internal';
import Database from 'better-sqlite3';
import { CommitWatch, RowCache } from './commit-watch.ts';

/** The page cache of one connection, in KiB. */
const CACHE_KIB = 16_384;
/**
 * The page size of new files. A small publication changes a few hundred bytes in each of about forty pages, and the log
 * stores whole pages.
 */
const PAGE_BYTES = 1_024;
/** A commit itself checkpoints a log of this size, and truncates it; normally, the thread of `checkpoint.ts` is earlier. */
const LOG_BYTES = 67_108_864;

/** How many bytes of a recovered log are rewritten at once. */
const PIECE_BYTES = 1_048_576;
/** Attempts to rewrite it. If all fail, closing the connection copies a log that may not be on the disk completely. */
const MAX_ATTEMPTS = 3;

/** Returns the prepared statement of a text; a connection prepares each text once. */
export type Prepare = <Row = unknown>(sql: string) => Database.Statement<unknown[], Row>;

/** A connection to a file. Does not convert errors of SQLite and the file system. */
export class SqliteFile {
  readonly #file: string;
  readonly #identity: string | undefined;
  readonly #logIdentity: string;
  #isLogLost = false;
  readonly #database: Database.Database;
  readonly #watch: CommitWatch | undefined;
  readonly #statements: Map<string, Database.Statement<unknown[], unknown>> = new Map();
  readonly #caches: Map<string, Pick<RowCache<unknown>, 'get'>> = new Map();
  #isFlushed = false;

  /** Opens the file, and creates it if it is missing, unless it must exist. */
  constructor(file: string, { mustExist = false }: { readonly mustExist?: boolean } = {}) {
    if (!mustExist) createPrivately(file);
    this.#file = file;
    this.#identity = identityOf(file, { throwIfNoEntry: true });
    // No timeout: a wait inside SQLite would block the event loop, so the caller waits instead.
    this.#database = new Database(file, { timeout: 0, fileMustExist: true });
    try {
      configure(this.#database);
      // The first read opens the `-wal` file, and the `-shm` file, which is watched.
      this.#database.prepare('SELECT 1 FROM sqlite_schema').get();
      this.#logIdentity = this.#identifyLog();
      this.#watch = this.#findWatch();
      this.#requireWholeLog(this.#watch);
    } catch (error) {
      try {
        this.#requireWholeLog(this.#findWatch());
      } finally {
        this.close();
      }
      throw error;
    }
  }

  readonly prepare: Prepare = <Row>(sql: string) => {
    const statement = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement as Database.Statement<unknown[], Row>;
  };

  /** Reads a row by a key and makes a value of it; caches the value until a commit. Callers must not change it. */
  cached<Row, Value>(sql: string, key: string, make: (row: Row) => Value): Value | undefined {
    const cache = this.#caches.get(sql);
    if (cache !== undefined) return cache.get(key) as Value | undefined;
    const read = (one: string): Value | undefined => {
      const row = this.prepare<Row>(sql).get(one);
      return row && make(row);
    };
    const cached = this.#watch === undefined ? { get: read } : new RowCache(this.#watch.fork(), read);
    this.#caches.set(sql, cached);
    return cached.get(key);
  }

  /**
   * Runs the work in a transaction. `BEGIN`: it sees one state; `BEGIN IMMEDIATE`: it also holds the write lock, and throws
   * after the commit if the file is no longer in its place.
   */
  transaction<Result>(begin: 'BEGIN' | 'BEGIN IMMEDIATE', work: () => Result): Result {
    this.prepare(begin).run();
    try {
      const result = work();
      this.prepare('COMMIT').run();
      if (begin === 'BEGIN IMMEDIATE') this.requireInPlace();
      return result;
    } catch (error) {
      if (this.isInTransaction()) this.prepare('ROLLBACK').run();
      throw error;
    }
  }

  /** Whether a transaction is open: after some errors SQLite has rolled it back. */
  isInTransaction(): boolean {
    return this.#database.inTransaction;
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /**
   * Rewrites the log byte for byte and flushes it, if SQLite has just recovered it. Call it before the file is used, until
   * it returns.
   *
   * A recovery reads commits from the page cache that may not be on the disk: their process was killed before its flush, or
   * that flush failed, after which the system treats the pages as clean and does not flush them again. A power cut would
   * lose these and all later commits. Rewritten pages are flushed again.
   */
  flushRecoveredLog(): void {
    if (this.#isFlushed) return;
    // The path must still lead to the open file rather than to one that replaced it.
    if (this.#isInPlace() && this.#watch?.hasCommitsSinceRecovery() !== true) {
      // With the write lock, no other connection writes to the log or restarts it.
      this.exec('BEGIN IMMEDIATE');
      try {
        rewriteLog(`${this.#file}-wal`);
      } finally {
        this.exec('ROLLBACK');
      }
    }
    this.#isFlushed = true;
  }

  /** Copies the write-ahead log into the file, and truncates it unless a reader uses it. */
  emptyLog(): void {
    this.#database.pragma('wal_checkpoint(TRUNCATE)');
  }

  close(): void {
    this.#database.close();
    this.#isLogLost = false;
  }

  /**
   * Throws if the file, its log or the log's index was moved, removed or replaced: SQLite would go on with it, and a
   * restart, or with the log a crash, would lose the changes; so would a change of a process that opens it without them.
   * Neither must be opened anew while a connection still has the old one.
   */
  requireInPlace(): void {
    if (!this.#isInPlace())
      throw new Database.SqliteError('the file was moved or replaced', 'SQLITE_READONLY_DBMOVED');
    this.#isLogLost = this.#identifyLog() !== this.#logIdentity;
    if (!this.#isLogLost) return;
    throw markRefusal(this.#createLostLogFault(), { refused: 'changes', isOver: () => !this.#isLogLost });
  }

  #createLostLogFault(): Fault {
    const name = basename(this.#file);
    const message = `${name}-wal or ${name}-shm was removed or replaced: stop the server, which then saves its changes in ${name}`;
    return new Fault('store_unavailable', message);
  }

  /** Identifies the log and its index. */
  #identifyLog(): string {
    return `${identityOf(`${this.#file}-wal`)} ${identityOf(`${this.#file}-shm`)}`;
  }

  /** Throws if another connection has a log of this file that was removed or replaced before this one was opened. */
  #requireWholeLog(watch: CommitWatch | undefined): void {
    const log = `${this.#file}-wal`;
    const sizeOfLog = (): number => statSync(log, { throwIfNoEntry: false })?.size ?? 0;
    if (watch?.needsMoreLog(sizeOfLog) === true) throw this.#createLostLogFault();
  }

  #findWatch(): CommitWatch | undefined {
    const watch = CommitWatch.of(this.#file);
    return this.#isInPlace() ? watch : undefined;
  }

  #isInPlace(): boolean {
    return identityOf(this.#file) === this.#identity;
  }
}

/** Identifies a file, by what a rename does not change; `undefined` if there is none. */
function identityOf(file: string, { throwIfNoEntry = false } = {}): string | undefined {
  const status = statSync(file, { bigint: true, throwIfNoEntry });
  return status && `${status.dev}:${status.ino}`;
}

/** Creates the file for its owner only. Does not open an existing file: closing it would drop this process's locks. */
function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function configure(database: Database.Database): void {
  database.pragma(`page_size = ${PAGE_BYTES}`);
  const mode = database.pragma('journal_mode = WAL', { simple: true });
  if (mode !== 'wal')
    throw new Database.SqliteError('the file cannot have a write-ahead log', 'SQLITE_CANTOPEN');
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = ON');
  database.pragma(`cache_size = -${CACHE_KIB}`);
  // Overwrites what is deleted, so that nothing of an erased account stays in free parts of the file.
  database.pragma('secure_delete = ON');
  // Otherwise each savepoint would open a file.
  database.pragma('temp_store = MEMORY');
  database.pragma(`wal_autocheckpoint = ${LOG_BYTES / pageBytesOf(database)}`);
  database.pragma(`journal_size_limit = ${LOG_BYTES}`);
}

export function pageBytesOf(database: Database.Database): number {
  return database.pragma('page_size', { simple: true }) as number;
}

function rewriteLog(log: string, attempts = MAX_ATTEMPTS): void {
  const descriptor = openSync(log, 'r+');
  try {
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    for (let at = 0; ; ) {
      const length = readSync(descriptor, piece, 0, PIECE_BYTES, at);
      if (length === 0) break;
      at += writeSync(descriptor, piece, 0, length, at);
    }
    fsyncSync(descriptor);
  } catch (error) {
    if (attempts === 1) throw error;
    rewriteLog(log, attempts - 1);
  } finally {
    closeSync(descriptor);
  }
}
