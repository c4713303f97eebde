export { type OpenPostgresOptions, openPostgres, type PostgresPersistence } from './open-postgres.ts';
export type { PostgresClient, PostgresPool } from './postgres-pool.ts';
