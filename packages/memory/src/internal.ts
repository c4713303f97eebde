// For packages of the same release; semver does not cover it.
export { GuardCheck } from './database/guard-check.ts';
export { MemoryTable, MemoryTables } from './database/memory-table.ts';
export { MemoryTransaction } from './database/memory-transaction.ts';
