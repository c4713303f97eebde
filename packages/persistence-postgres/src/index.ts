export { examinePostgres, type PostgresExamined } from './examine-postgres.ts';
export {
  type OpenPostgresOptions,
  openPostgres,
  POOL_LIMITS,
} from './open-postgres.ts';
export type { PostgresClient, PostgresPool } from './postgres-pool.ts';
