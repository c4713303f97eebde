import type { DatabaseState } from '@pinfold/core/records';
import Database from 'better-sqlite3';
import { asFault } from './engine/sqlite-errors.ts';
import { databaseState } from './schema/migrate.ts';

/**
 * Examines a database file in any state, without changes. Reads every page.
 *
 * @throws Fault `store_unavailable` when the file cannot be opened, `store_corrupt` when it is not a database.
 */
export function examineSqlite(file: string): DatabaseState {
  try {
    const database = new Database(file, { readonly: true, fileMustExist: true });
    try {
      return databaseState((sql) => database.prepare(sql));
    } finally {
      database.close();
    }
  } catch (error) {
    throw asFault(error);
  }
}
