export { examineSqlite, type SqliteExamined } from './examine-sqlite.ts';
export { type OpenSqliteOptions, openSqlite } from './open-sqlite.ts';
