import { closeSync, fsyncSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import Database from 'better-sqlite3';
import { CommitWatch, RowCache } from './commit-watch.ts';

/** The page cache of one connection, in KiB. */
const CACHE_KIB = 16_384;
/**
 * Of a new file: one that exists keeps its own. A small publication changes some forty pages, a few hundred bytes of each,
 * and the log gets each page whole.
 */
const PAGE_BYTES = 1_024;
/** A commit checkpoints a log of this size, and truncates it to that; the thread of `checkpoint.ts` is earlier. */
const LOG_BYTES = 67_108_864;

/** How many bytes of a recovered log are written again at once. */
const PIECE_BYTES = 1_048_576;
/** Attempts at that. If all fail, closing the connection copies a log into the file that is not all on the disk. */
const TRIES = 3;

/** Returns the prepared statement of a text; a connection prepares each text once. */
export type Prepare = <Row = unknown>(sql: string) => Database.Statement<unknown[], Row>;

/** A connection to a file. Errors of SQLite and of the file system come out as they are. */
export class SqliteFile {
  readonly #file: string;
  readonly #identity: string;
  readonly #database: Database.Database;
  readonly #watch: CommitWatch | undefined;
  readonly #statements: Map<string, Database.Statement<unknown[], unknown>> = new Map();
  readonly #caches: Map<string, Pick<RowCache<unknown>, 'get'>> = new Map();
  #isFlushed = false;

  /** Opens the file, and creates it if it is missing. */
  constructor(file: string) {
    createPrivately(file);
    this.#file = file;
    this.#identity = identityOf(file);
    // A wait inside SQLite would block the event loop, so the connection's owner waits instead.
    this.#database = new Database(file, { timeout: 0 });
    try {
      configure(this.#database);
      // SQLite opens the watched file with its first read.
      this.#database.prepare('SELECT 1 FROM sqlite_schema').get();
      const watch = CommitWatch.of(file);
      this.#watch = this.#isInPlace() ? watch : undefined;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  readonly prepare: Prepare = <Row>(sql: string) => {
    const statement = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement as Database.Statement<unknown[], Row>;
  };

  /** Reads a row by a key and makes a value of it, cached until a commit. Callers share it and must not change it. */
  cached<Row, Value>(sql: string, key: string, make: (row: Row) => Value): Value | undefined {
    const cache = this.#caches.get(sql);
    if (cache !== undefined) return cache.get(key) as Value | undefined;
    const read = (one: string): Value | undefined => {
      const row = this.prepare<Row>(sql).get(one);
      return row && make(row);
    };
    const made = this.#watch === undefined ? { get: read } : new RowCache(this.#watch.fork(), read);
    this.#caches.set(sql, made);
    return made.get(key);
  }

  /** Runs the work in a transaction: it sees one state, or holds the write lock from its beginning. */
  transaction<Result>(begin: 'BEGIN' | 'BEGIN IMMEDIATE', work: () => Result): Result {
    this.prepare(begin).run();
    try {
      const result = work();
      this.prepare('COMMIT').run();
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
   * Writes the log again, byte for byte, and flushes it, if SQLite has just recovered it. Call it before anything of the
   * file is used, until it returns.
   *
   * A recovery takes commits from the page cache that may not be on the disk: their process was killed before its flush,
   * or that flush failed, after which pages count as clean and later flushes leave them out. A power cut would lose all
   * that is committed after them. Pages that are written again are flushed again.
   */
  flushRecoveredLog(): void {
    if (this.#isFlushed) return;
    // By its path another file would be found that was put in its place.
    if (this.#isInPlace() && this.#watch?.hasCommits() !== true) {
      // Nobody else writes to the log, or begins it anew.
      this.exec('BEGIN IMMEDIATE');
      try {
        writeAgain(`${this.#file}-wal`);
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
  }

  #isInPlace(): boolean {
    return identityOf(this.#file) === this.#identity;
  }
}

function identityOf(file: string): string {
  const { dev, ino } = statSync(file, { bigint: true });
  return `${dev}:${ino}`;
}

/** SQLite would make it readable for all. Must not open an existing file: closing it drops this process's locks. */
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
  // Each savepoint would open a file.
  database.pragma('temp_store = MEMORY');
  database.pragma(`wal_autocheckpoint = ${LOG_BYTES / pageBytesOf(database)}`);
  database.pragma(`journal_size_limit = ${LOG_BYTES}`);
}

export function pageBytesOf(database: Database.Database): number {
  return database.pragma('page_size', { simple: true }) as number;
}

function writeAgain(log: string, tries = TRIES): void {
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
    if (tries === 1) throw error;
    writeAgain(log, tries - 1);
  } finally {
    closeSync(descriptor);
  }
}
