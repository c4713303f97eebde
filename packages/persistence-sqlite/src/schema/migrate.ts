import {
  examineSchema,
  type Migration,
  planMigrations,
  refuseOutdated,
  SCHEMA_VERSIONS,
  type SchemaState,
} from '@pinfold/core/adapter';
import type { DatabaseState } from '@pinfold/core/records';
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

/** Migrates to the newest of `migrations` in one transaction, so that only one of several processes does. */
export async function migrate(
  connection: SqliteConnection,
  migrations: readonly Migration<readonly string[]>[],
): Promise<void> {
  await connection.write((file) => {
    file.exec(STATE_TABLE);
    const { steps, reached } = planMigrations(file.prepare<SchemaState>(STATE).get(), migrations);
    for (const { sql } of steps) file.exec(sql.join(';\n'));
    if (reached !== undefined) file.prepare(SET_STATE).run(reached);
  });
}

/** Rejects unless the file is in its place, the schema exists and this release can use it. */
export async function checkSchema(connection: SqliteConnection, signal?: AbortSignal): Promise<undefined> {
  const state = await connection.read((file) => {
    file.requireInPlace();
    return file.prepare<SchemaState>(STATE).get();
  }, signal);
  refuseOutdated(state, SCHEMA_VERSIONS);
}

/** Examines an open database. Reads every page. */
export function databaseState(prepare: Prepare): DatabaseState {
  const [version] = prepare<{ release: string }>('SELECT sqlite_version() AS release').all();
  const [check] = prepare<{ quick_check: string }>('PRAGMA quick_check(1)').all();
  const damage = check?.quick_check ?? 'ok';
  const isThere = prepare("SELECT 1 FROM sqlite_schema WHERE name = 'schema_state'").get() !== undefined;
  const state = isThere ? prepare<SchemaState>(STATE).get() : undefined;
  return {
    release: version?.release ?? '',
    ...examineSchema(state, SCHEMA_VERSIONS),
    ...(damage === 'ok' ? {} : { damage }),
  };
}
