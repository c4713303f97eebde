export { type OpenSqliteOptions, openSqlite, type SqlitePersistence } from './open-sqlite.ts';
