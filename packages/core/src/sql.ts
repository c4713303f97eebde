export { SqlCompiler } from './sql/compiler.ts';
export { quoted, type SqlDialect } from './sql/dialect.ts';
export { migrationsTo } from './sql/migrations.ts';
export type { SqlRow } from './sql/sql-table.ts';
export type { SqlPlan } from './sql/statement-text.ts';
export type { LookupPlan, ScanPlans } from './sql/statements.ts';
