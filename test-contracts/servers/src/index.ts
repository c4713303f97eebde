export { type PostgresAddress, type PostgresServer, startPostgres } from './postgres-server.ts';
