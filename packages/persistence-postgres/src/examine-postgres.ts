import { examineSchema, type SchemaState } from '@pinfold/core/adapter';
import { codeOf } from '@pinfold/core/internal';
import type { DatabaseState } from '@pinfold/core/records';
import { ask, type PostgresClient, type PostgresPool, survive } from './engine/postgres-connection.ts';
import { prepared, ROLLBACK, unprepared } from './engine/statement.ts';
import { newestMigration, stateOf } from './schema/migrate.ts';

/** A server, for diagnosis. */
interface Server {
  /** The server's version, such as `17.2`. */
  readonly release: string;
  /** Whether it takes no changes, as a standby does. */
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
  /** False behind a pooler that mixes connections up. */
  readonly keepsPreparedStatements: boolean;
  /** Absent if the schema does not exist; its version is absent before the first one, and if it cannot be read. */
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
/** SQLSTATEs: the name of a prepared statement is unknown, or is taken. */
const MIXED: ReadonlySet<unknown> = new Set(['26000', '42P05']);
/** A pooler with a single connection lets the second transaction wait for the first. */
const WAIT = 1_000;

/**
 * Examines a server and a schema of any state by a pool of two connections, and changes nothing. Rejects with the error
 * of `pg` if the server does not answer.
 */
export async function examinePostgres(pool: PostgresPool, name: string): Promise<PostgresExamined> {
  const isPrepared = await keepsPreparedStatements(pool);
  const client = await pool.connect();
  try {
    const [server] = await ask<Server>(client, SERVER);
    if (server === undefined) throw new Error('the server said nothing of itself');
    const [schema] = await ask<Schema>(client, SCHEMA, [name]);
    const [state] = schema === undefined ? [] : await stateIn(client, name);
    const { newest, ...version } = examineSchema(state, [newestMigration()]);
    const found = { ...server, keepsPreparedStatements: isPrepared, newest };
    return schema === undefined ? found : { ...found, schema: { ...schema, ...version } };
  } finally {
    client.release();
  }
}

async function stateIn(client: PostgresClient, schema: string): Promise<readonly SchemaState[]> {
  try {
    return await ask<SchemaState>(client, stateOf(schema));
  } catch (error) {
    if (UNREADABLE.has(codeOf(error))) return [];
    throw error;
  }
}

/**
 * Whether a prepared statement stays with its connection. Behind a pooler that gives each transaction any connection of
 * the server, such as PgBouncer before 1.21, the statement is not known to the next one.
 */
export async function keepsPreparedStatements(pool: PostgresPool): Promise<boolean> {
  pool.on('connect', survive);
  const [one, other] = await Promise.all([pool.connect(), pool.connect()]);
  try {
    await one.query({ ...STATEMENT });
    await other.query({ ...BEGIN });
    // The other's transaction has the connection on which the statement was prepared, so this one gets another.
    const repeated = isPrepared(one);
    await Promise.race([repeated, new Promise((resolve) => setTimeout(resolve, WAIT).unref())]);
    await other.query({ ...ROLLBACK });
    return (await repeated) && (await isPrepared(other));
  } finally {
    one.release(true);
    other.release(true);
  }
}

async function isPrepared(client: PostgresClient): Promise<boolean> {
  try {
    await client.query({ ...STATEMENT });
    return true;
  } catch (error) {
    if (MIXED.has(codeOf(error))) return false;
    throw error;
  }
}
