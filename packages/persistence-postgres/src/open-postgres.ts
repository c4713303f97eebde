import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Clock, FeedId } from '@pinfold/core';
import { type Persistence, raceSignal } from '@pinfold/core/adapter';
import { createPersistence, STORE_SCHEMA } from '@pinfold/core/stores';
import { PostgresDatabase } from './database/postgres-database.ts';
import { PostgresConnection, type PostgresPool } from './engine/postgres-connection.ts';

/**
 * Timeouts for a pool, so that a server that is down or hangs fails requests but does not block the process: 5 s to
 * connect, 9 s for the server to finish a statement, and 10 s to wait for its answer. {@link openPostgres} shows its use.
 */
export const POOL_LIMITS = {
  connectionTimeoutMillis: 5_000,
  statement_timeout: 9_000,
  query_timeout: 10_000,
  idle_in_transaction_session_timeout: 10_000,
  keepAlive: true,
} as const;

/** Options of {@link openPostgres}. */
export interface OpenPostgresOptions {
  /** A pool of `pg`. The caller ends it. */
  readonly pool: PostgresPool;
  /** The schema that holds the tables. `migrate` creates it if it does not exist. */
  readonly schema: string;
  /** Waits before retries. Default: the host's timers. Replace it only in tests: a stopped clock waits forever. */
  readonly sleep?: Clock['sleep'] | undefined;
}

/**
 * Stores records in a schema of a PostgreSQL server. Opening sends nothing to the server; `check` resolves to the
 * server's time, and `close` does not end the pool.
 *
 * @throws TypeError unless the schema's name has 1 to 63 bytes, none of them 0, and does not begin with `pg_`.
 *
 * @example
 * import { openPostgres, POOL_LIMITS } from '@pinfold/persistence-postgres';
 * import pg from 'pg';
 *
 * const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, ...POOL_LIMITS });
 * const { roles, migrate } = await openPostgres({ pool, schema: 'pinfold' });
 * await migrate();
 */
export async function openPostgres(options: OpenPostgresOptions): Promise<Persistence> {
  const { pool, schema, sleep = (pause, signal) => raceSignal(setTimeout(pause), signal) } = options;
  const length = Buffer.byteLength(schema);
  // The server truncates longer names, so that two could be equal, and reserves names that begin with `pg_`.
  if (length < 1 || length > 63 || schema.includes('\0') || schema.startsWith('pg_'))
    throw new TypeError('the name of the schema has 1 to 63 bytes');
  const database = new PostgresDatabase(new PostgresConnection(pool, sleep), schema, STORE_SCHEMA);
  return createPersistence(database, () => randomUUID().replaceAll('-', '') as FeedId);
}
