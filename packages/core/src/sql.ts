export { SqlCompiler } from './sql/compiler.ts';
export { createTables } from './sql/create-tables.ts';
export type { SqlDialect } from './sql/dialect.ts';
export type { ScanPlans } from './sql/scan-statements.ts';
export type { LookupPlan, SqlPlan } from './sql/sql-plan.ts';
export type { SqlRow } from './sql/sql-table.ts';
