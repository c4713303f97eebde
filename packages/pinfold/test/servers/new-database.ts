import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { PostgresAddress } from 'pinfold-test-servers';
import { postgresPlace } from 'pinfold-test-servers/mocha';

/** An empty database on the server that all tests share. */
export interface NewDatabase {
  readonly address: PostgresAddress;
  /** Its URL, or its URL with another port or another password. */
  url(change?: Partial<PostgresAddress>): string;
  /** Runs a statement in it, bypassing the server under test. */
  ask<Row>(sql: string): Promise<readonly Row[]>;
  /** Lets the server accept or refuse new connections to it; open ones stay. */
  allowConnections(isAllowed: boolean): Promise<void>;
}

/** Makes an empty database. */
export async function newDatabase(): Promise<NewDatabase> {
  const { server } = await postgresPlace();
  const database = `app_${randomUUID().replaceAll('-', '')}`;
  await ask(server.address, `CREATE DATABASE ${database}`);
  const address = { ...server.address, database };
  return {
    address,
    url: (change = {}) => {
      const { user, password, host, port, database: name } = { ...address, ...change };
      return `postgres://${user}:${password}@${host}:${port}/${name}`;
    },
    ask: (sql) => ask(address, sql),
    allowConnections: async (isAllowed) => {
      await ask(server.address, `ALTER DATABASE ${database} ALLOW_CONNECTIONS ${isAllowed}`);
    },
  };
}

async function ask<Row>(address: PostgresAddress, sql: string): Promise<readonly Row[]> {
  const client = new pg.Client(address);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
