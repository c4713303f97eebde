export { type OpenSqliteOptions, openSqlite } from './open-sqlite.ts';
