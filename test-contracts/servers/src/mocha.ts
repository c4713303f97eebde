import { randomUUID } from 'node:crypto';
import { after } from 'mocha';
import pg from 'pg';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

/** A place of one test on the server that all tests of this process share. */
export interface PostgresPlace {
  readonly server: PostgresServer;
  /** The name of a schema that no other test uses, and that is not there yet. */
  readonly schema: string;
  /** Opens one more pool, as another node would. */
  pool(config?: pg.PoolConfig): pg.Pool;
  /** Ends the pools and drops the schema. */
  dispose(): Promise<void>;
}

let shared: Promise<PostgresServer> | undefined;

after('the shared PostgreSQL is stopped', async function () {
  this.timeout(120_000);
  await (await shared)?.stop();
});

/** Opens a place on the shared server, which the first call starts; rejects when it does not start. */
export async function postgresPlace(): Promise<PostgresPlace> {
  return await placeIn(`place "${randomUUID()}"`, (client, schema) => client.query(dropped(schema)));
}

/** A schema that a test has left as it was after the migration. */
interface Migrated {
  readonly schema: string;
  /** Empties its tables but for the rows that the migration made. */
  readonly reset: string;
}

const migrated: Migrated[] = [];

/** The most bytes that a schema with nothing but dead rows may have: of larger ones the indexes are slow. */
const LARGEST = 8 * 2 ** 20;

/**
 * Opens a place whose schema `migrate` has migrated. Disposing empties it for the next test, since migrating takes
 * longer than most tests. A schema with triggers or many dead rows is dropped.
 */
export async function migratedPlace(
  migrate: (place: PostgresPlace) => Promise<unknown>,
): Promise<PostgresPlace> {
  const known = migrated.pop();
  let reset = known?.reset ?? '';
  const place = await placeIn(known?.schema ?? `place "${randomUUID()}"`, async (client, schema) => {
    const { rows } = await client.query(STATE, [schema]);
    const [{ triggers, bytes }] = rows as [{ readonly triggers: number; readonly bytes: number }];
    if (triggers > 0 || bytes > LARGEST) await client.query(dropped(schema));
    else {
      await client.query(reset);
      migrated.push({ schema, reset });
    }
  });
  if (known === undefined) {
    await migrate(place);
    reset = await resetOf(place);
  }
  return place;
}

const STATE = `
  SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::int AS bytes,
    (SELECT count(*)::int FROM pg_trigger WHERE NOT tgisinternal AND tgrelid = ANY (array_agg(c.oid))) AS triggers
  FROM pg_class c WHERE relkind = 'r' AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)`;

/** The statements that empty the tables of a place, and insert the rows that they have now. */
async function resetOf({ schema, pool }: PostgresPlace): Promise<string> {
  const client = pool({ max: 1 });
  const { rows } = await client.query('SELECT tablename AS name FROM pg_tables WHERE schemaname = $1', [
    schema,
  ]);
  const statements = rows.map(async ({ name }: { readonly name: string }) => {
    const table = `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`;
    const { rows: kept } = await client.query(`SELECT json_agg(t)::text AS rows FROM ${table} t`);
    const json = (kept as [{ readonly rows: string | null }])[0].rows;
    const filled =
      json === null
        ? ''
        : `INSERT INTO ${table} SELECT * FROM json_populate_recordset(null::${table}, ${pg.escapeLiteral(json)});`;
    return `DELETE FROM ${table};${filled}`;
  });
  return `SET session_replication_role = replica;${(await Promise.all(statements)).join('')}`;
}

function dropped(schema: string): string {
  return `DROP SCHEMA IF EXISTS ${pg.escapeIdentifier(schema)} CASCADE`;
}

async function placeIn(
  schema: string,
  leave: (client: pg.Client, schema: string) => Promise<unknown>,
): Promise<PostgresPlace> {
  shared ??= startPostgres();
  const server = await shared;
  const pools: pg.Pool[] = [];
  const pool = (config: pg.PoolConfig = {}): pg.Pool => {
    const opened = new pg.Pool({ ...server.address, max: 5, ...config });
    // Idle connections break when a test crashes the server; and a pool has ended before its connections have.
    opened.on('error', () => {});
    pools.push(opened);
    return opened;
  };
  return {
    server,
    schema,
    pool,
    dispose: async () => {
      await Promise.all(pools.map((opened) => opened.end()));
      const client = new pg.Client(server.address);
      await client.connect();
      await leave(client, schema);
      await client.end();
    },
  };
}
