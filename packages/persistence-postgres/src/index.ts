export type { PostgresClient, PostgresPool } from './engine/postgres-connection.ts';
export { type OpenPostgresOptions, openPostgres, POOL_LIMITS } from './open-postgres.ts';
