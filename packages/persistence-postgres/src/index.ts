export type { PostgresClient, PostgresPool } from './engine/postgres-connection.ts';
export { examinePostgres, type PostgresExamined } from './examine-postgres.ts';
export {
  type OpenPostgresOptions,
  openPostgres,
  POOL_LIMITS,
} from './open-postgres.ts';
