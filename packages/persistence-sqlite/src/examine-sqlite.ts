import type { DatabaseState } from '@pinfold/core/records';
import Database from 'better-sqlite3';
import { asFault } from './engine/sqlite-errors.ts';
import { databaseState, MIGRATIONS } from './schema/migrate.ts';

/** Reads every page of a file, changing nothing. Faults: `store_unavailable`, and `store_corrupt` for no database. */
export function examineSqlite(file: string): DatabaseState {
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
