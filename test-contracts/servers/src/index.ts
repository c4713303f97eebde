export { type PostgresAddress, type PostgresServer, postgresUrl, startPostgres } from './postgres-server.ts';
export { quietPort } from './quiet-port.ts';
export { type S3Server, type S3ServerOptions, startS3 } from './s3-server.ts';
export { startWire, type Wire } from './wire.ts';
