import { neededRelease, type SchemaState } from '@pinfold/core/adapter';
import Database from 'better-sqlite3';
import { asFault } from './engine/sqlite-errors.ts';
import { STATE } from './schema/migrate.ts';
import { MIGRATIONS, NEWEST_VERSION } from './schema/migrations.ts';

/** What a file is like, for a person who looks for what is wrong. */
export interface SqliteExamined {
  /** Of SQLite, `3.51.0` for example. */
  readonly release: string;
  /** What SQLite finds damaged; absent where it finds nothing. */
  readonly damage?: string;
  /** Absent where there is no schema yet. */
  readonly version?: number;
  /** Why this release cannot work with it; absent where it can. */
  readonly outdated?: string;
  /** The version of the schema that this release makes. */
  readonly newest: number;
}

/**
 * Looks at a file, and changes nothing: it need not be as this release wants it. Every page of it is read.
 *
 * @throws Fault `store_unavailable` when the file cannot be opened, `store_corrupt` when it is no database.
 *
 * @example
 * import { examineSqlite } from '@pinfold/persistence-sqlite';
 *
 * const isUpToDate = (file: string) => {
 *   const { version, newest } = examineSqlite(file);
 *   return version === newest;
 * };
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
