import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { after } from 'mocha';
import pg from 'pg';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

/** The place of one test on the server that all tests of this process share. */
export interface PostgresPlace {
  readonly server: PostgresServer;
  /** The name of a schema that no other test uses, and that does not exist yet. */
  readonly schema: string;
  /** Opens another pool, as another node would. */
  pool(config?: pg.PoolConfig): pg.Pool;
  /** Ends the pools and drops the schema. */
  dispose(): Promise<void>;
}

let shared: Promise<PostgresServer> | undefined;
/** For the statements of this file. */
let administration: pg.Pool | undefined;
/** Pools that no test uses, by their schema and configuration. */
const unused: Map<string, pg.Pool[]> = new Map();

after('the shared PostgreSQL is stopped', async () => {
  await Promise.all([...unused.values()].flat().map((pool) => pool.end()));
  await administration?.end();
  await (await shared)?.stop();
});

/** Opens a place on the shared server. The first call starts it, and rejects if it does not start. */
export async function postgresPlace(): Promise<PostgresPlace> {
  return await placeIn(`place "${randomUUID()}"`, async ({ schema, endPools }) => {
    await endPools();
    await administer(dropped(schema));
  });
}

/** A schema after a test, reset to its state after the migration. */
interface Migrated {
  readonly schema: string;
  /** Statements that empty its tables except for the rows of the migration. */
  readonly reset: string;
}

/** By what was migrated. */
const migrated: Map<string, Migrated[]> = new Map();

/** How long an unused pool keeps its connections, in milliseconds, so that the server does not run out of them. */
const IDLE = 1_000;

/** The maximum number of bytes of a reused schema, all with dead rows: larger ones have slow indexes. */
const LARGEST = 8 * 2 ** 20;

/**
 * Opens a place whose schema `migrate` has migrated. Disposing empties it for the next test, since migrating takes
 * longer than most tests, and leaves the pools open: the first statements of a connection take longer than all others.
 * A schema with triggers or many dead rows is dropped.
 *
 * @param tables names what `migrate` creates, if it is not the schema of the stores.
 */
export async function migratedPlace(
  migrate: (place: PostgresPlace) => Promise<unknown>,
  tables = 'stores',
): Promise<PostgresPlace> {
  const known = migrated.get(tables)?.pop();
  let reset = known?.reset ?? '';
  const place = await placeIn(
    known?.schema ?? `place "${randomUUID()}"`,
    async ({ schema, leavePools, endPools }) => {
      await leavePools();
      const [state] = await administer<{ triggers: number; bytes: number }>(STATE, [schema]);
      if (state !== undefined && state.triggers === 0 && state.bytes <= LARGEST) {
        await administer(reset);
        migrated.set(tables, [...(migrated.get(tables) ?? []), { schema, reset }]);
      } else {
        await endPools();
        await administer(dropped(schema));
      }
    },
  );
  if (known === undefined) {
    await migrate(place);
    reset = await resetOf(place.schema);
  }
  return place;
}

const STATE = `
  SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::int AS bytes,
    (SELECT count(*)::int FROM pg_trigger WHERE NOT tgisinternal AND tgrelid = ANY (array_agg(c.oid))) AS triggers
  FROM pg_class c WHERE relkind = 'r' AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)`;

/** The statements that empty the tables of a schema, and insert the rows that they have now. */
async function resetOf(schema: string): Promise<string> {
  const names = 'SELECT tablename AS name FROM pg_tables WHERE schemaname = $1';
  const statements = (await administer<{ name: string }>(names, [schema])).map(async ({ name }) => {
    const table = `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`;
    const [stored] = await administer<{ rows: string | null }>(
      `SELECT json_agg(t)::text AS rows FROM ${table} t`,
    );
    if (stored?.rows == null) return `DELETE FROM ${table};`;
    const rows = `json_populate_recordset(null::${table}, ${pg.escapeLiteral(stored.rows)})`;
    return `DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM ${rows};`;
  });
  return `SET session_replication_role = replica;${(await Promise.all(statements)).join('')}`;
}

function dropped(schema: string): string {
  return `DROP SCHEMA IF EXISTS ${pg.escapeIdentifier(schema)} CASCADE`;
}

async function administer<Row = unknown>(sql: string, values?: readonly unknown[]): Promise<readonly Row[]> {
  shared ??= startPostgres();
  const { address } = await shared;
  administration ??= new pg.Pool({ ...address, max: 2 }).on('error', () => {});
  return (await administration.query(sql, values && [...values])).rows as Row[];
}

/** The remains of a place after its test. */
interface Remains {
  readonly schema: string;
  /** Leaves the pools to the next test in this schema, once their connections are idle. */
  leavePools(): Promise<void>;
  /** Ends the pools of this schema. */
  endPools(): Promise<void>;
}

async function placeIn(schema: string, leave: (remains: Remains) => Promise<void>): Promise<PostgresPlace> {
  shared ??= startPostgres();
  const server = await shared;
  const used: { readonly pool: pg.Pool; readonly key: string }[] = [];
  const pool = (config: pg.PoolConfig = {}): pg.Pool => {
    const key = `${schema} ${JSON.stringify(config)}`;
    // Ignores errors of idle connections, which break when a test crashes the server, and of an ended pool.
    const opened =
      unused.get(key)?.pop() ??
      new pg.Pool({ ...server.address, max: 5, idleTimeoutMillis: IDLE, ...config }).on('error', () => {});
    used.push({ pool: opened, key });
    return opened;
  };
  const leavePools = async (): Promise<void> => {
    for (const { pool, key } of used.splice(0)) {
      while (pool.idleCount < pool.totalCount) await setTimeout(1);
      unused.set(key, [...(unused.get(key) ?? []), pool]);
    }
  };
  const endPools = async (): Promise<void> => {
    const keys = [...unused.keys()].filter((key) => key.startsWith(schema));
    const left = keys.flatMap((key) => unused.get(key) ?? []);
    for (const key of keys) unused.delete(key);
    await Promise.all([...left, ...used.map(({ pool }) => pool)].map((opened) => opened.end()));
  };
  return { server, schema, pool, dispose: () => leave({ schema, leavePools, endPools }) };
}
