import { Fault } from '@pinfold/core';
import { MIGRATIONS, type Migration, SCHEMA_STATE_TABLE, type SchemaState } from './schema.ts';
import type { Statements } from './sqlite-connection.ts';
import type { Prepare } from './sqlite-file.ts';

const STATE = `
  SELECT version, oldest_version AS oldestVersion, oldest_release AS oldestRelease FROM schema_state`;
const SET_STATE = `
  INSERT INTO schema_state (one, version, oldest_version, oldest_release)
  VALUES (1, @version, @oldestVersion, @oldestRelease)
  ON CONFLICT (one) DO UPDATE
  SET version = @version, oldest_version = @oldestVersion, oldest_release = @oldestRelease`;

/**
 * Brings the schema up to the newest of `migrations`, in one transaction: of several processes that start at once one
 * does it, and the others find it done.
 */
export function migrate(
  connection: Statements,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  return connection.write((prepare, exec) => {
    exec(SCHEMA_STATE_TABLE);
    const state = prepare<SchemaState>(STATE).get();
    refuseOutdated(state, migrations);
    const missing = migrations.slice(state?.version ?? 0);
    for (const migration of missing) exec(migration.sql);
    const newest = missing.at(-1);
    if (newest !== undefined) setState(prepare, newest, migrations);
  });
}

/** Rejects unless the schema is there and lets this release run. */
export async function checkSchema(
  connection: Statements,
  signal: AbortSignal | undefined,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<undefined> {
  await connection.read((prepare) => refuseOutdated(prepare<SchemaState>(STATE).get(), migrations), signal);
}

function refuseOutdated(state: SchemaState | undefined, migrations: readonly Migration[]): void {
  if (state === undefined || state.oldestVersion <= migrations.length) return;
  throw new Fault('store_unavailable', `the database needs release ${state.oldestRelease} or a newer one`);
}

function setState(prepare: Prepare, newest: Migration, migrations: readonly Migration[]): void {
  const oldest = migrations.find((migration) => migration.version === newest.oldestVersion) ?? newest;
  prepare(SET_STATE).run({
    version: newest.version,
    oldestVersion: oldest.version,
    oldestRelease: oldest.release,
  });
}
