import {
  type PostgresClient,
  PostgresConnection,
  type PostgresPool,
} from '../src/engine/postgres-connection.ts';
import { unprepared } from '../src/engine/statement.ts';

export const CHANGE = unprepared('CHANGE');
export const SELECT = unprepared('SELECT');

export const connectionReset = (): Error =>
  Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' });

type Answers = Readonly<Record<string, readonly (Error | undefined)[]>>;

interface FakePool extends PostgresPool {
  /** Every statement that was sent, in order. */
  readonly sent: string[];
  /** For each connection returned to the pool, whether it had to be destroyed. */
  readonly released: boolean[];
  /** Whether the server answers that it is. */
  isReadOnly: boolean;
}

/** A pool of one connection after another; the `n`th query with a text gets the `n`th answer of that text. */
export function fakePool(answers: Answers, standby = false): FakePool {
  const sent: string[] = [];
  const released: boolean[] = [];
  let client: PostgresClient | undefined;
  const connect = (): PostgresClient => ({
    query: async ({ text }: { text: string }) => {
      if (text.includes('transaction_read_only')) return { rows: [{ isReadOnly: pool.isReadOnly }] };
      if (text.includes('pg_is_in_recovery')) return { rows: [{ standby }], rowCount: 1 };
      const nth = sent.filter((one) => one === text).length;
      sent.push(text);
      const error = answers[text]?.[nth];
      if (error !== undefined) throw error;
      return { rows: [{ text }], rowCount: 1 };
    },
    release: (destroy = false) => {
      released.push(destroy);
      if (destroy) client = undefined;
    },
    on: () => {},
  });
  const pool: FakePool = {
    sent,
    released,
    isReadOnly: false,
    connect: async () => {
      client ??= connect();
      return client;
    },
    on: () => {},
    off: () => {},
  };
  return pool;
}

export function connectTo(pool: PostgresPool): PostgresConnection {
  return new PostgresConnection(pool, async () => {});
}

export const change = (connection: PostgresConnection) =>
  connection.runWithRetries(
    async ({ run }) =>
      () =>
        run(CHANGE),
  );
