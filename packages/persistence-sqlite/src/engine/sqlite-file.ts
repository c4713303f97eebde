import { closeSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';
import { CommitWatch } from './commit-watch.ts';
import { RowCache } from './row-cache.ts';

/** Pages kept in memory by one connection, in KiB. */
const CACHE_KIB = 16_384;
/**
 * The length from which on a commit copies the write-ahead log itself, in pages: 64 MiB. Before that a thread does it;
 * this is for when there is none.
 */
const LOG_PAGES = 16_384;
/** Where the write-ahead log is cut back to after it had to grow, in bytes. */
const LOG_BYTES = 67_108_864;

/** Gives the prepared statement of a text, which is prepared once a connection. */
export type Prepare = <Row = unknown>(sql: string) => Database.Statement<unknown[], Row>;

/** One open connection to a file, with its prepared statements. */
export interface SqliteFile {
  readonly prepare: Prepare;
  /**
   * The row of a statement with one parameter, from memory while nothing was committed to the database. Callers share it
   * and must not change it.
   */
  cachedRow<Row>(sql: string, key: string): Row | undefined;
  /** Runs the work in a transaction: it sees one state, or holds the write lock from its beginning. */
  transaction<Result>(begin: 'BEGIN' | 'BEGIN IMMEDIATE', work: (prepare: Prepare) => Result): Result;
  exec(sql: string): void;
  /** Copies the write-ahead log into the file, and gives its room back unless somebody reads in it. */
  emptyLog(): void;
  /** Whether the transactions from now on are on the disk when they are committed; they are at first. */
  force(forced: boolean): void;
  close(): void;
}

/** Opens the file, making it when it is not there. Throws errors of SQLite and of the file system. */
export function openSqliteFile(file: string): SqliteFile {
  createPrivately(file);
  // A wait inside SQLite stops the event loop, so there is none: the connection's owner waits.
  const database = new Database(file, { timeout: 0 });
  try {
    configure(database);
  } catch (error) {
    database.close();
    throw error;
  }
  return wrap(database, file);
}

/**
 * SQLite would make the file readable for all. It must never be opened here when it exists: closing a file drops
 * every lock that this process holds on it, SQLite's too.
 */
function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function configure(database: Database.Database): void {
  const mode = database.pragma('journal_mode = WAL', { simple: true });
  if (mode !== 'wal')
    throw new Database.SqliteError('the file cannot have a write-ahead log', 'SQLITE_CANTOPEN');
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = ON');
  database.pragma(`cache_size = -${CACHE_KIB}`);
  database.pragma(`wal_autocheckpoint = ${LOG_PAGES}`);
  database.pragma(`journal_size_limit = ${LOG_BYTES}`);
}

function wrap(database: Database.Database, file: string): SqliteFile {
  const statements = new Map<string, Database.Statement<unknown[], unknown>>();
  let isForced = true;
  const prepare = <Row>(sql: string): Database.Statement<unknown[], Row> => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = database.prepare(sql);
      statements.set(sql, statement);
    }
    return statement as Database.Statement<unknown[], Row>;
  };
  const caches = new Map<string, Pick<RowCache<unknown>, 'get'>>();
  return {
    prepare,
    cachedRow: <Row>(sql: string, key: string) => {
      const cache = caches.get(sql);
      if (cache !== undefined) return cache.get(key) as Row | undefined;
      const read = (one: string): unknown => prepare(sql).get(one);
      const row = read(key);
      // SQLite has opened the file that is watched by its first read.
      const watch = CommitWatch.of(file);
      caches.set(sql, watch === undefined ? { get: read } : new RowCache(watch, read));
      return row as Row | undefined;
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
    exec: (sql) => {
      database.exec(sql);
    },
    emptyLog: () => {
      database.pragma('wal_checkpoint(TRUNCATE)');
    },
    force: (forced) => {
      if (forced !== isForced) database.exec(`PRAGMA synchronous = ${forced ? 'FULL' : 'NORMAL'}`);
      isForced = forced;
    },
    close: () => {
      database.close();
    },
  };
}
