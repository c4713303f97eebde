import { neededRelease, type SchemaState } from '@pinfold/core/adapter';
import Database from 'better-sqlite3';
import { asFault } from './engine/sqlite-errors.ts';
import { STATE } from './schema/migrate.ts';
import { MIGRATIONS, NEWEST_VERSION } from './schema/migrations.ts';

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
      return examine(database);
    } finally {
      database.close();
    }
  } catch (error) {
    throw asFault(error);
  }
}

function examine(database: Database.Database): SqliteExamined {
  const release = String(database.prepare('SELECT sqlite_version()').pluck().get());
  const damage = String(database.pragma('quick_check(1)', { simple: true }));
  return {
    release,
    newest: NEWEST_VERSION,
    ...(damage === 'ok' ? {} : { damage }),
    ...stateOf(database),
  };
}

function stateOf(database: Database.Database): Pick<SqliteExamined, 'outdated' | 'version'> {
  const isThere = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'schema_state'").get();
  const state =
    isThere === undefined ? undefined : (database.prepare(STATE).get() as SchemaState | undefined);
  if (state === undefined) return {};
  const outdated = neededRelease(state, MIGRATIONS);
  return { version: state.version, ...(outdated === undefined ? {} : { outdated }) };
}
