import {
  type Migration,
  type MigrationProgress,
  type MigrationScope,
  type OnMigration,
  planMigrations,
  refuseOutdated,
  type SchemaState,
} from '@pinfold/core/adapter';
import type { SqliteConnection } from '../engine/sqlite-connection.ts';
import { HAND_WRITTEN, moveHandWritten } from './hand-written.ts';

const STATE_TABLE = `
  CREATE TABLE IF NOT EXISTS schema_state (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    version INTEGER NOT NULL,
    oldest_version INTEGER NOT NULL,
    oldest_release TEXT NOT NULL
  ) STRICT`;
export const STATE = `
  SELECT version, oldest_version AS oldestVersion, oldest_release AS oldestRelease FROM schema_state`;
const COUNT = 'SELECT count(*) AS publications FROM roles';
const SET_STATE = `
  INSERT INTO schema_state (one, version, oldest_version, oldest_release)
  VALUES (1, @version, @oldestVersion, @oldestRelease)
  ON CONFLICT (one) DO UPDATE
  SET version = @version, oldest_version = @oldestVersion, oldest_release = @oldestRelease`;

/** Migrates to the newest of `migrations` in one transaction: only one of several concurrent processes does it. */
export async function migrate(
  connection: SqliteConnection,
  migrations: readonly Migration[],
  scope?: MigrationScope,
  onMigration: OnMigration = () => {},
): Promise<void> {
  const migrated = await connection.write((prepare, exec) => {
    exec(STATE_TABLE);
    const state = prepare<SchemaState>(STATE).get();
    const { steps, reached, upgrade } = planMigrations(state, migrations, scope);
    const counted = upgrade && prepare<Pick<MigrationProgress, 'publications'>>(COUNT).get();
    const progress = counted && { ...upgrade, ...counted };
    if (progress !== undefined) onMigration({ kind: 'begun', ...progress });
    for (const { version, sql } of steps) {
      if (state?.version === HAND_WRITTEN && version === HAND_WRITTEN + 1) moveHandWritten(prepare, exec);
      else exec(sql);
    }
    if (reached !== undefined) prepare(SET_STATE).run(reached);
    return progress;
  });
  if (migrated !== undefined) onMigration({ kind: 'ended', ...migrated });
}

/** Rejects unless the schema exists and this release can use it. */
export async function checkSchema(
  connection: SqliteConnection,
  signal: AbortSignal | undefined,
  migrations: readonly Migration[],
): Promise<undefined> {
  await connection.read((prepare) => refuseOutdated(prepare<SchemaState>(STATE).get(), migrations), signal);
}
