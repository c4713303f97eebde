import {
  examineSchema,
  type Migration,
  planMigrations,
  refuseOutdated,
  type SchemaState,
} from '@pinfold/core/adapter';
import { type AnyTable, type DatabaseState, TABLES } from '@pinfold/core/records';
import { createTables } from '@pinfold/core/sql';
import { SQLITE } from '../database/sqlite-steps.ts';
import type { SqliteConnection } from '../engine/sqlite-connection.ts';
import type { Prepare } from '../engine/sqlite-file.ts';

const STATE_TABLE = `
  CREATE TABLE IF NOT EXISTS schema_state (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    version INTEGER NOT NULL,
    oldest_version INTEGER NOT NULL,
    oldest_release TEXT NOT NULL
  ) STRICT`;
const STATE = `
  SELECT version, oldest_version AS oldestVersion, oldest_release AS oldestRelease FROM schema_state`;
const SET_STATE = `
  INSERT OR REPLACE INTO schema_state (one, version, oldest_version, oldest_release)
  VALUES (1, @version, @oldestVersion, @oldestRelease)`;

/** The migrations to a schema with these tables, in order of version. */
export function migrationsTo(tables: readonly AnyTable[]): readonly Migration[] {
  return [{ version: 1, release: '0.1.0', oldestVersion: 1, sql: createTables(tables, SQLITE).join(';\n') }];
}

/** The migrations to the schema of this release. */
export const MIGRATIONS: readonly Migration[] = migrationsTo(TABLES);

/** Migrates to the newest of `migrations` in one transaction, so that only one of several processes does. */
export async function migrate(connection: SqliteConnection, migrations: readonly Migration[]): Promise<void> {
  await connection.write((file) => {
    file.exec(STATE_TABLE);
    const { steps, reached } = planMigrations(file.prepare<SchemaState>(STATE).get(), migrations);
    for (const { sql } of steps) file.exec(sql);
    if (reached !== undefined) file.prepare(SET_STATE).run(reached);
  });
}

/** Rejects unless the schema exists and this release can use it. */
export async function checkSchema(
  connection: SqliteConnection,
  migrations: readonly Migration[],
  signal?: AbortSignal,
): Promise<undefined> {
  const state = await connection.read(({ prepare }) => prepare<SchemaState>(STATE).get(), signal);
  refuseOutdated(state, migrations);
}

/** Examines an open database. Reads every page. */
export function databaseState(prepare: Prepare, migrations: readonly Migration[]): DatabaseState {
  const [version] = prepare<{ release: string }>('SELECT sqlite_version() AS release').all();
  const [check] = prepare<{ quick_check: string }>('PRAGMA quick_check(1)').all();
  const damage = check?.quick_check ?? 'ok';
  const isThere = prepare("SELECT 1 FROM sqlite_schema WHERE name = 'schema_state'").get() !== undefined;
  const state = isThere ? prepare<SchemaState>(STATE).get() : undefined;
  return {
    release: version?.release ?? '',
    ...examineSchema(state, migrations),
    ...(damage === 'ok' ? {} : { damage }),
  };
}
