import { examineSchema, SCHEMA_VERSIONS, type SchemaState } from '@pinfold/core/adapter';
import { codeOf } from '@pinfold/core/internal';
import type { DatabaseState } from '@pinfold/core/records';
import {
  ignoreBreaks,
  type PostgresClient,
  type PostgresPool,
  runStatement,
} from './engine/postgres-connection.ts';
import { prepared, ROLLBACK, unprepared } from './engine/statement.ts';
import { stateOf } from './schema/migrate.ts';

interface Server {
  /** The server's version, such as `17.2`. */
  readonly release: string;
  /** Whether it refuses changes, as a standby does. */
  readonly readOnly: boolean;
  readonly encoding: string;
  readonly now: number;
  readonly user: string;
  readonly mayMakeSchema: boolean;
}

/** A schema that exists, with the user's rights. */
interface Schema {
  readonly mayUse: boolean;
  readonly mayMakeTables: boolean;
  /** Missing rights on tables, such as `roles: DELETE`. */
  readonly lacking: readonly string[];
  /** Tables with another owner, which an upgrade could not change. */
  readonly ofOthers: readonly string[];
}

/** The state of a server and of a schema, for diagnosis. */
export interface PostgresExamined extends Server {
  /** False behind a pooler that gives each transaction another connection. */
  readonly keepsPreparedStatements: boolean;
  /** Absent if the schema does not exist; its version is absent before the first migration, and if it is unreadable. */
  readonly schema?: Schema & Pick<DatabaseState, 'version' | 'outdated'>;
  /** The version of the schema that this release creates. */
  readonly newest: number;
}

const SERVER = unprepared(`
  SELECT pg_catalog.current_setting('server_version') AS release,
    pg_catalog.current_setting('transaction_read_only') = 'on' AS "readOnly",
    pg_catalog.current_setting('server_encoding') AS encoding,
    pg_catalog.floor(extract(epoch FROM pg_catalog.clock_timestamp()) * 1000)::bigint AS now,
    current_user AS "user",
    pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE') AS "mayMakeSchema"`);
const OF_SCHEMA = "relkind IN ('r', 'p') AND relnamespace = pg_namespace.oid";
const SCHEMA = unprepared(`
  SELECT pg_catalog.has_schema_privilege(oid, 'USAGE') AS "mayUse",
    pg_catalog.has_schema_privilege(oid, 'CREATE') AS "mayMakeTables",
    pg_catalog.to_json(ARRAY(
      SELECT relname || ': ' || needed
      FROM pg_catalog.pg_class, pg_catalog.unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS needed
      WHERE ${OF_SCHEMA} AND NOT pg_catalog.has_table_privilege(pg_class.oid, needed) ORDER BY 1)) AS lacking,
    pg_catalog.to_json(ARRAY(
      SELECT relname::text FROM pg_catalog.pg_class
      WHERE ${OF_SCHEMA} AND NOT pg_catalog.pg_has_role(relowner, 'USAGE') ORDER BY 1)) AS "ofOthers"
  FROM pg_catalog.pg_namespace WHERE nspname = $1`);

/** SQLSTATEs for a table that does not exist or may not be read. */
const UNREADABLE: ReadonlySet<unknown> = new Set(['42P01', '3F000', '42501']);

const STATEMENT = prepared('SELECT 1 AS prepared');
const BEGIN = unprepared('BEGIN');
/** SQLSTATEs: the name of a prepared statement is unknown, or already exists. */
const WRONG_CONNECTION: ReadonlySet<unknown> = new Set(['26000', '42P05']);
/** How long to wait, in milliseconds: with a single connection, a pooler lets one transaction wait for the other. */
const MAX_WAIT = 1_000;

/**
 * Examines a server and a schema in any state, without changes. Needs a pool of two connections. Rejects with the error of
 * `pg` if the server does not answer.
 */
export async function examinePostgres(pool: PostgresPool, name: string): Promise<PostgresExamined> {
  const isPrepared = await keepsPreparedStatements(pool);
  const client = await pool.connect();
  try {
    const [server] = await runStatement<Server>(client, SERVER);
    if (server === undefined) throw new Error('the server did not describe itself');
    const [schema] = await runStatement<Schema>(client, SCHEMA, [name]);
    const [state] = schema === undefined ? [] : await stateIn(client, name);
    const { newest, ...version } = examineSchema(state, SCHEMA_VERSIONS);
    const found = { ...server, keepsPreparedStatements: isPrepared, newest };
    return schema === undefined ? found : { ...found, schema: { ...schema, ...version } };
  } finally {
    client.release();
  }
}

async function stateIn(client: PostgresClient, schema: string): Promise<readonly SchemaState[]> {
  try {
    return await runStatement<SchemaState>(client, stateOf(schema));
  } catch (error) {
    if (UNREADABLE.has(codeOf(error))) return [];
    throw error;
  }
}

/**
 * Whether prepared statements work. Behind a pooler that gives each transaction another connection to the server, such as
 * PgBouncer before 1.21, the next transaction may not find the statement.
 */
export async function keepsPreparedStatements(pool: PostgresPool): Promise<boolean> {
  pool.on('connect', ignoreBreaks);
  const connecting = [pool.connect(), pool.connect()] as const;
  try {
    const [one, other] = await Promise.all(connecting);
    await one.query({ ...STATEMENT });
    await other.query({ ...BEGIN });
    // The other transaction now holds the connection that has prepared the statement, so this one gets another.
    const repeated = isPrepared(one);
    await Promise.race([repeated, new Promise((resolve) => setTimeout(resolve, MAX_WAIT).unref())]);
    await other.query({ ...ROLLBACK });
    return (await repeated) && (await isPrepared(other));
  } finally {
    for (const client of await Promise.allSettled(connecting))
      if (client.status === 'fulfilled') client.value.release(true);
  }
}

async function isPrepared(client: PostgresClient): Promise<boolean> {
  try {
    await client.query({ ...STATEMENT });
    return true;
  } catch (error) {
    if (WRONG_CONNECTION.has(codeOf(error))) return false;
    throw error;
  }
}
