import { defineQuery, defineTable, get, integer, type RecordTable, text } from '@pinfold/core/records';
import { PostgresDatabase } from '../src/database/postgres-database.ts';
import { PostgresConnection, type PostgresPool } from '../src/engine/postgres-connection.ts';

interface Pot {
  readonly name: string;
  readonly coins: number;
}

export const POTS: RecordTable<Pot, 'name'> = defineTable({
  name: 'pots',
  columns: { name: text, coins: integer },
  key: ['name'],
  guards: undefined,
});

export const findOne = defineQuery('pots.find', () => get(POTS, { name: 'a' }));

export interface FakeServer {
  readonly database: PostgresDatabase;
  /** The statements sent while all earlier ones were answered, each with those sent before its answer. */
  readonly trips: string[][];
  readonly released: (boolean | undefined)[];
}

/** A server that answers each statement in a later turn; `refuse` gives the error of one. */
export function fakeServer(
  isPipelined: boolean,
  refuse: (sql: string, values: readonly unknown[]) => Error | undefined = () => undefined,
): FakeServer {
  const trips: string[][] = [];
  const released: (boolean | undefined)[] = [];
  let isAnswered = true;
  const client = {
    pipeline: isPipelined,
    query: async ({
      text: sql,
      values = [],
    }: {
      readonly text: string;
      readonly values?: readonly unknown[];
    }) => {
      if (isAnswered) trips.push([]);
      isAnswered = false;
      trips.at(-1)?.push(sql);
      await new Promise((resolve) => setImmediate(resolve));
      isAnswered = true;
      const error = refuse(sql, values);
      if (error !== undefined) throw error;
      return { rows: rowsOf(sql), rowCount: 0 };
    },
    release: (isBroken?: boolean) => released.push(isBroken),
    on: () => undefined,
  };
  const pool: PostgresPool = { connect: async () => client, on: () => undefined, off: () => undefined };
  const connection = new PostgresConnection(pool, async () => {});
  return { database: new PostgresDatabase(connection, 'place', { tables: [POTS] }), trips, released };
}

function rowsOf(sql: string): object[] {
  if (sql.includes('pg_is_in_recovery')) return [{ standby: false }];
  return sql.includes('json_build_array') ? [{ parts: [[], []] }] : [];
}

/** An error in the form of the server's. */
export function serverError(code: string): Error {
  return Object.assign(new Error('refused'), { code, severity: 'ERROR' });
}
