import Database from 'better-sqlite3';
import { asFault } from './engine/sqlite-errors.ts';
import { databaseState, MIGRATIONS } from './schema/migrate.ts';

/** The state of a database file, for diagnosis. */
export interface SqliteExamined {
  /** The version of SQLite, such as `3.51.0`. */
  readonly release: string;
  /** The first damage that SQLite finds; absent if it finds none. */
  readonly damage?: string;
  /** Absent if there is no schema yet. */
  readonly version?: number;
  /** Why this release cannot work with it; absent if it can. */
  readonly outdated?: string;
  /** The version of the schema that this release creates. */
  readonly newest: number;
}

/**
 * Examines a database file of any state, and changes nothing. Reads every page of it.
 *
 * @throws Fault `store_unavailable` when the file cannot be opened, `store_corrupt` when it is no database.
 */
export function examineSqlite(file: string): SqliteExamined {
  try {
    const database = new Database(file, { readonly: true, fileMustExist: true });
    try {
      return databaseState((sql) => database.prepare(sql), MIGRATIONS);
    } finally {
      database.close();
    }
  } catch (error) {
    throw asFault(error);
  }
}
