import { type Instant, instant } from '@pinfold/core';
import {
  examineSchema,
  type Migration,
  planMigrations,
  raceSignal,
  refuseOutdated,
  SCHEMA_VERSIONS,
  type SchemaState,
} from '@pinfold/core/adapter';
import type { DatabaseState } from '@pinfold/core/records';
import { quoted } from '@pinfold/core/sql';
import type { Client, PostgresConnection } from '../engine/postgres-connection.ts';
import { COMMIT, lockNumber, type Statement, unprepared } from '../engine/statement.ts';

const BEGIN = unprepared('BEGIN ISOLATION LEVEL READ COMMITTED');
/** Migrations may take longer than requests. */
const NO_LIMITS = unprepared('SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0');
/** The longest migration, in milliseconds. */
const DAY = 86_400_000;
const LOCK = unprepared('SELECT pg_catalog.pg_advisory_xact_lock($1)', DAY);
const EXAMINED = unprepared(`
  SELECT pg_catalog.current_setting('server_version') AS release, pg_catalog.to_regclass($1) IS NOT NULL AS "isThere"`);
const HAS_SCHEMA = unprepared('SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1');

/** Migrates to the newest of `migrations`, in one transaction under a lock, so that only one of several processes does. */
export async function migrate(
  connection: PostgresConnection,
  schema: string,
  migrations: readonly Migration<readonly string[]>[],
): Promise<void> {
  await connection.runWithRetries(async ({ run }) => {
    await run(BEGIN);
    await run(NO_LIMITS);
    await run(LOCK, [lockNumber('pinfold migrate', schema)]);
    await createSchema(run, schema);
    await run(unprepared(`SET LOCAL search_path = ${quoted(schema)}, pg_temp`));
    const [state] = await run<SchemaState>(stateOf(schema));
    const { steps, reached } = planMigrations(state, migrations);
    for (const { sql } of steps) await run(unprepared(sql.join(';\n'), DAY));
    if (reached !== undefined) await setState(run, schemaState(schema), reached);
    return async () => void (await run(COMMIT));
  });
}

/** Rejects unless the schema exists and this release can use it. Resolves to the server's time. */
export async function checkSchema(
  connection: PostgresConnection,
  schema: string,
  signal?: AbortSignal,
): Promise<Instant | undefined> {
  await raceSignal(connection.retryRefused(), signal);
  const [state] = await connection.read<SchemaState & { readonly now: number }>(stateOf(schema), [], signal);
  refuseOutdated(state, SCHEMA_VERSIONS);
  return state === undefined ? undefined : instant(state.now);
}

/** Examines an open database. Does not search for damage, which the server itself reports when it reads it. */
export async function databaseState(connection: PostgresConnection, schema: string): Promise<DatabaseState> {
  const [server] = await connection.read<{ release: string; isThere: boolean }>(EXAMINED, [
    schemaState(schema),
  ]);
  const [state] = server?.isThere ? await connection.read<SchemaState>(stateOf(schema), []) : [];
  return { release: server?.release ?? '', ...examineSchema(state, SCHEMA_VERSIONS) };
}

/** Creates the schema if it is missing: only then is the right to create schemas needed. */
async function createSchema(run: Client['run'], schema: string): Promise<void> {
  const found = await run(HAS_SCHEMA, [schema]);
  if (found.length === 0) await run(unprepared(`CREATE SCHEMA ${quoted(schema)}`));
  const state = unprepared(`
    CREATE TABLE IF NOT EXISTS ${schemaState(schema)} (
      one smallint PRIMARY KEY CHECK (one = 1), version bigint NOT NULL,
      oldest_version bigint NOT NULL, oldest_release text NOT NULL)`);
  await run(state);
}

/** The table of the schema's state. */
function schemaState(schema: string): string {
  return `${quoted(schema)}.schema_state`;
}

/** The statement that reads the state, and the server's time. */
export function stateOf(schema: string): Statement {
  return unprepared(`
    SELECT version, oldest_version AS "oldestVersion", oldest_release AS "oldestRelease",
      pg_catalog.floor(extract(epoch FROM pg_catalog.clock_timestamp()) * 1000)::bigint AS now
    FROM ${schemaState(schema)}`);
}

async function setState(run: Client['run'], table: string, reached: SchemaState): Promise<void> {
  const state = unprepared(`
    INSERT INTO ${table} (one, version, oldest_version, oldest_release) VALUES (1, $1, $2, $3)
    ON CONFLICT (one) DO UPDATE SET version = $1, oldest_version = $2, oldest_release = $3`);
  await run(state, [reached.version, reached.oldestVersion, reached.oldestRelease]);
}
