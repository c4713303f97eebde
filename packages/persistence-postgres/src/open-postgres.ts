import { setTimeout } from 'node:timers/promises';
import type { Clock, Duration } from '@pinfold/core';
import { type Persistence, raceSignal } from '@pinfold/core/adapter';
import type { PostgresPool } from './engine/postgres-connection.ts';
import { PostgresConnection } from './engine/postgres-connection.ts';
import { checkSchema, migrate } from './schema/migrate.ts';
import { tablesOf } from './schema/tables.ts';
import { postgresAccountStore } from './stores/postgres-account-store.ts';
import { postgresApiKeyStore } from './stores/postgres-api-key-store.ts';
import { postgresAttemptCounter } from './stores/postgres-attempt-counter.ts';
import { postgresHistoryStore } from './stores/postgres-history-store.ts';
import { postgresImport } from './stores/postgres-import.ts';
import { postgresNameStore } from './stores/postgres-name-store.ts';
import { postgresPairingStore } from './stores/postgres-pairing-store.ts';
import { postgresRoleStore } from './stores/postgres-role-store.ts';
import { postgresServiceMode } from './stores/postgres-service-mode.ts';
import { postgresSessionStore } from './stores/postgres-session-store.ts';
import { postgresSnapshot } from './stores/postgres-snapshot.ts';
import { postgresTakedownStore } from './stores/postgres-takedown-store.ts';
import { postgresViewStore } from './stores/postgres-view-store.ts';

/**
 * Timeouts for a pool, so that a server that is down or hangs fails requests but does not block the process: 5 s to
 * connect, 9 s for the server to finish a statement, and 10 s to wait for its answer.
 *
 * @example
 * import { POOL_LIMITS } from '@pinfold/persistence-postgres';
 * import pg from 'pg';
 *
 * const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, ...POOL_LIMITS });
 */
export const POOL_LIMITS = {
  connectionTimeoutMillis: 5_000,
  statement_timeout: 9_000,
  query_timeout: 10_000,
  idle_in_transaction_session_timeout: 10_000,
  keepAlive: true,
} as const;

/** What {@link openPostgres} needs. */
export interface OpenPostgresOptions {
  /** A pool of `pg`. The caller ends it. */
  readonly pool: PostgresPool;
  /** The schema that holds the tables. `migrate` creates it if it does not exist. */
  readonly schema: string;
  /** Waits before retries, by default on the host's timers. Replace only in tests: a stopped clock waits for ever. */
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
  const { pool, schema, sleep = sleepByTimer } = options;
  if (!isSchemaName(schema)) throw new TypeError('the name of the schema has 1 to 63 bytes');
  const connection = new PostgresConnection(pool, sleep);
  const tables = tablesOf(schema);
  connection.open();
  return {
    roles: postgresRoleStore(connection, tables),
    accounts: postgresAccountStore(connection, tables),
    apiKeys: postgresApiKeyStore(connection, tables),
    attempts: postgresAttemptCounter(connection, tables),
    sessions: postgresSessionStore(connection, tables),
    history: postgresHistoryStore(connection, tables),
    mode: postgresServiceMode(connection, tables),
    takedowns: postgresTakedownStore(connection, tables),
    views: postgresViewStore(connection, tables),
    snapshot: postgresSnapshot(connection, schema),
    imports: postgresImport(connection, tables, schema),
    pairings: postgresPairingStore(connection, tables),
    names: postgresNameStore(connection, tables),
    migrate: (scope) => migrate(connection, schema, undefined, scope),
    check: (signal) => checkSchema(connection, schema, signal),
    close: async () => connection.close(),
  };
}

/** The server truncates longer names, so that two could be equal, and reserves names that begin with `pg_`. */
function isSchemaName(name: string): boolean {
  const length = Buffer.byteLength(name);
  return length >= 1 && length <= 63 && !name.includes('\0') && !name.startsWith('pg_');
}

function sleepByTimer(length: Duration, signal?: AbortSignal): Promise<void> {
  return raceSignal(setTimeout(length), signal);
}
