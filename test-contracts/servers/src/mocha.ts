import { randomUUID } from 'node:crypto';
import { after } from 'mocha';
import pg from 'pg';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

/** A place of one test on the server that all tests of this process share. */
export interface PostgresPlace {
  readonly server: PostgresServer;
  /** The name of a schema that no other test uses, and that is not there yet. */
  readonly schema: string;
  /** Opens one more pool, as another node would. */
  pool(config?: pg.PoolConfig): pg.Pool;
  /** Ends the pools and drops the schema. */
  dispose(): Promise<void>;
}

let shared: Promise<PostgresServer> | undefined;

after('the shared PostgreSQL is stopped', async function () {
  this.timeout(120_000);
  await (await shared)?.stop();
});

/** Gives a place on the shared server, which the first call starts; that it does not start is a failure. */
export async function postgresPlace(): Promise<PostgresPlace> {
  shared ??= startPostgres();
  const server = await shared;
  const schema = `place "${randomUUID()}"`;
  const pools: pg.Pool[] = [];
  const pool = (config: pg.PoolConfig = {}): pg.Pool => {
    const opened = new pg.Pool({ ...server.address, max: 5, ...config });
    pools.push(opened);
    return opened;
  };
  return {
    server,
    schema,
    pool,
    dispose: async () => {
      // A pool has ended before its connections have: a server that stops still says so to those.
      for (const opened of pools) opened.on('error', () => {});
      await Promise.all(pools.map((opened) => opened.end()));
      const client = new pg.Client(server.address);
      await client.connect();
      await client.query(`DROP SCHEMA IF EXISTS ${pg.escapeIdentifier(schema)} CASCADE`);
      await client.end();
    },
  };
}
