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
/** The size of the log from which a commit checkpoints it, and to which it is truncated; the worker thread is earlier. */
const LOG_BYTES = 67_108_864;

/** How many bytes of a recovered log are written again at once. */
const PIECE = 1_048_576;
/** How often that is tried: the connection would copy a log with holes into the file if it were closed. */
const TRIES = 3;

/** Returns the prepared statement of a text; a connection prepares each text once. */
export type Prepare = <Row = unknown>(sql: string) => Database.Statement<unknown[], Row>;

export interface SqliteFile {
  readonly prepare: Prepare;
  /** Reads a row by a key and makes a value of it, cached until a commit. Callers share it and must not change it. */
  cached<Row, Value>(sql: string, key: string, make: (row: Row) => Value): Value | undefined;
  /** Runs the work in a transaction: it sees one state, or holds the write lock from its beginning. */
  transaction<Result>(begin: 'BEGIN' | 'BEGIN IMMEDIATE', work: (prepare: Prepare) => Result): Result;
  /** Whether a transaction is open: after some errors SQLite has rolled it back. */
  isInTransaction(): boolean;
  exec(sql: string): void;
  /** Call it before anything else, until it returns: see {@link flushRecoveredLog}. */
  flushRecoveredLog(): void;
  /** Copies the write-ahead log into the file, and truncates it unless a reader uses it. */
  emptyLog(): void;
  close(): void;
}

/** Opens the file, making it when it is not there. Throws errors of SQLite and of the file system. */
export function openSqliteFile(file: string): SqliteFile {
  createPrivately(file);
  const opened = identityOf(file);
  // A wait inside SQLite would block the event loop, so the connection's owner waits instead.
  const database = new Database(file, { timeout: 0 });
  try {
    configure(database);
    // SQLite opens the watched file with its first read.
    database.prepare('SELECT 1 FROM sqlite_schema').get();
    const watch = CommitWatch.of(file);
    // By its path another file would be found that was put in its place.
    const isInPlace = (): boolean => identityOf(file) === opened;
    let isFlushed = false;
    const flushLog = (): void => {
      if (isFlushed) return;
      if (isInPlace()) flushRecoveredLog(database, file, watch);
      isFlushed = true;
    };
    return wrap(database, isInPlace() ? watch : undefined, flushLog);
  } catch (error) {
    database.close();
    throw error;
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

function wrap(database: Database.Database, watch: CommitWatch | undefined, flushLog: () => void): SqliteFile {
  const statements = new Map<string, Database.Statement<unknown[], unknown>>();
  const prepare = <Row>(sql: string): Database.Statement<unknown[], Row> => {
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, statement);
    return statement as Database.Statement<unknown[], Row>;
  };
  const caches = new Map<string, Pick<RowCache<unknown>, 'get'>>();
  return {
    prepare,
    cached: <Row, Value>(sql: string, key: string, make: (row: Row) => Value) => {
      const cache = caches.get(sql);
      if (cache !== undefined) return cache.get(key) as Value | undefined;
      const read = (one: string): Value | undefined => {
        const row = prepare<Row>(sql).get(one);
        return row && make(row);
      };
      const made = watch === undefined ? { get: read } : new RowCache(watch.another(), read);
      caches.set(sql, made);
      return made.get(key);
    },
    transaction: (begin, work) => {
      prepare(begin).run();
      try {
        const result = work(prepare);
        prepare('COMMIT').run();
        return result;
      } catch (error) {
        if (database.inTransaction) prepare('ROLLBACK').run();
        throw error;
      }
    },
    isInTransaction: () => database.inTransaction,
    exec: (sql) => void database.exec(sql),
    flushRecoveredLog: flushLog,
    emptyLog: () => void database.pragma('wal_checkpoint(TRUNCATE)'),
    close: () => void database.close(),
  };
}

/**
 * Writes the log again, byte for byte, and flushes it, if SQLite has just recovered it. Call it after a connection's
 * first read and before anything of it is used; throws system errors.
 *
 * A recovery takes commits from the page cache that may not be on the disk: their process was killed before its flush, or
 * that flush failed, after which pages count as clean and later flushes leave them out. A power cut would lose all that
 * is committed after them. Pages that are written again are flushed again.
 */
function flushRecoveredLog(database: Database.Database, file: string, watch: CommitWatch | undefined): void {
  if (watch?.hasCommits() === true) return;
  // Nobody else writes to the log, or begins it anew.
  database.exec('BEGIN IMMEDIATE');
  try {
    persistently(() => writeAgain(`${file}-wal`));
  } finally {
    database.exec('ROLLBACK');
  }
}

function persistently(work: () => void, tries = TRIES): void {
  try {
    work();
  } catch (error) {
    if (tries === 1) throw error;
    persistently(work, tries - 1);
  }
}

function writeAgain(log: string): void {
  const descriptor = openSync(log, 'r+');
  try {
    const piece = Buffer.allocUnsafe(PIECE);
    for (let at = 0; ; ) {
      const length = readSync(descriptor, piece, 0, PIECE, at);
      if (length === 0) break;
      at += writeSync(descriptor, piece, 0, length, at);
    }
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
