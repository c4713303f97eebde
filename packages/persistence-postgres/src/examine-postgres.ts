import { type Instant, instant } from '@pinfold/core';
import { examineSchema, type SchemaState } from '@pinfold/core/adapter';
import { codeOf } from '@pinfold/core/internal';
import { keepsPreparedStatements } from './engine/examine-pooler.ts';
import { ask, type PostgresClient, type PostgresPool } from './engine/postgres-connection.ts';
import { type Statement, unprepared } from './engine/statement.ts';
import { newestMigration, stateOf } from './schema/migrate.ts';

/** The state of a server and of a schema, for diagnosis. */
export interface PostgresExamined {
  /** The server's version, such as `17.2`. */
  readonly release: string;
  /** Whether it is a standby, which takes no changes. */
  readonly standby: boolean;
  readonly readOnly: boolean;
  readonly encoding: string;
  /** The server's limit of connections, for all its users together. */
  readonly maxConnections: number;
  /** False behind a pooler that mixes connections up. */
  readonly keepsPreparedStatements: boolean;
  readonly now: Instant;
  readonly user: string;
  readonly mayMakeSchema: boolean;
  /** Absent if the schema does not exist. */
  readonly schema?: {
    readonly mayUse: boolean;
    readonly mayMakeTables: boolean;
    /** Missing rights on tables, such as `roles: DELETE`. */
    readonly lacking: readonly string[];
    /** Tables with another owner, which an upgrade could not change. */
    readonly ofOthers: readonly string[];
    /** Absent before the first one, and if it cannot be read. */
    readonly version?: number;
    /** Why this release cannot work with it; absent if it can. */
    readonly outdated?: string;
  };
  /** The version of the schema that this release creates. */
  readonly newest: number;
}

interface Server extends Pick<PostgresExamined, 'release' | 'standby' | 'readOnly' | 'encoding' | 'user'> {
  readonly maxConnections: string;
  readonly now: number;
  readonly mayMakeSchema: boolean;
}

const SERVER = unprepared(`
  SELECT pg_catalog.current_setting('server_version') AS release,
    pg_catalog.pg_is_in_recovery() AS standby,
    pg_catalog.current_setting('default_transaction_read_only') = 'on' AS "readOnly",
    pg_catalog.current_setting('server_encoding') AS encoding,
    pg_catalog.current_setting('max_connections') AS "maxConnections",
    pg_catalog.floor(extract(epoch FROM pg_catalog.clock_timestamp()) * 1000)::bigint AS now,
    current_user AS "user",
    pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE') AS "mayMakeSchema"`);
const SCHEMA = unprepared(`
  SELECT pg_catalog.has_schema_privilege(oid, 'USAGE') AS "mayUse",
    pg_catalog.has_schema_privilege(oid, 'CREATE') AS "mayMakeTables"
  FROM pg_catalog.pg_namespace WHERE nspname = $1`);
const OF_SCHEMA = `
  relkind IN ('r', 'p') AND relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1)`;
const LACKING = unprepared(`
  SELECT relname || ': ' || needed AS name
  FROM pg_catalog.pg_class, pg_catalog.unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS needed
  WHERE ${OF_SCHEMA} AND NOT pg_catalog.has_table_privilege(oid, needed) ORDER BY 1`);
const OF_OTHERS = unprepared(`
  SELECT relname AS name FROM pg_catalog.pg_class
  WHERE ${OF_SCHEMA} AND NOT pg_catalog.pg_has_role(relowner, 'USAGE') ORDER BY 1`);

/** SQLSTATEs for a table that does not exist or may not be read. */
const UNREADABLE: ReadonlySet<unknown> = new Set(['42P01', '3F000', '42501']);

/**
 * Examines a server and a schema of any state by a pool of two connections, and changes nothing. Rejects with the error
 * of `pg` if the server does not answer.
 */
export async function examinePostgres({
  pool,
  schema,
}: {
  readonly pool: PostgresPool;
  readonly schema: string;
}): Promise<PostgresExamined> {
  const isPrepared = await keepsPreparedStatements(pool);
  const client = await pool.connect();
  try {
    const [server] = await ask<Server>(client, SERVER);
    if (server === undefined) throw new Error('the server said nothing of itself');
    const { now, maxConnections, ...rest } = server;
    const found = await schemaOf(client, schema);
    return {
      ...rest,
      keepsPreparedStatements: isPrepared,
      now: instant(now),
      maxConnections: Number(maxConnections),
      newest: newestMigration().version,
      ...(found === undefined ? {} : { schema: found }),
    };
  } finally {
    client.release();
  }
}

async function schemaOf(client: PostgresClient, schema: string): Promise<PostgresExamined['schema']> {
  const [rights] = await ask<{ mayUse: boolean; mayMakeTables: boolean }>(client, SCHEMA, [schema]);
  if (rights === undefined) return undefined;
  return {
    ...rights,
    lacking: await namesOf(client, LACKING, schema),
    ofOthers: await namesOf(client, OF_OTHERS, schema),
    ...(await versionOf(client, schema)),
  };
}

async function namesOf(
  client: PostgresClient,
  statement: Statement,
  schema: string,
): Promise<readonly string[]> {
  return (await ask<{ name: string }>(client, statement, [schema])).map(({ name }) => name);
}

async function versionOf(
  client: PostgresClient,
  schema: string,
): Promise<Pick<NonNullable<PostgresExamined['schema']>, 'outdated' | 'version'>> {
  const [state] = await ask<SchemaState>(client, stateOf(schema)).catch((error: unknown) => {
    if (UNREADABLE.has(codeOf(error))) return [];
    throw error;
  });
  if (state === undefined) return {};
  const { newest, ...found } = examineSchema(state, [newestMigration()]);
  return found;
}
