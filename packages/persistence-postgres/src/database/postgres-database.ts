import { setImmediate } from 'node:timers/promises';
import { Fault, type Instant } from '@pinfold/core';
import { type Migration, raceSignal } from '@pinfold/core/adapter';
import {
  type Database,
  type DatabaseSchema,
  type DatabaseSnapshot,
  type DatabaseState,
  type Locks,
  type Lookup,
  locksInOrder,
  type Program,
  type Query,
} from '@pinfold/core/records';
import { migrationsTo, quoted, SqlCompiler, type SqlDialect } from '@pinfold/core/sql';
import type { PostgresConnection } from '../engine/postgres-connection.ts';
import { asFault, kindOf, ProgramError, reasonOf } from '../engine/postgres-errors.ts';
import { COMMIT, lockNumber, unprepared } from '../engine/statement.ts';
import { checkSchema, databaseState, migrate } from '../schema/migrate.ts';
import { PostgresLookups } from './postgres-lookups.ts';
import { JoinedReads, PostgresSession, type SharedPlans } from './postgres-session.ts';

const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';
/** Begins a read-only transaction, all of whose statements see one state. */
const BEGIN_SNAPSHOT = unprepared('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');

/**
 * A database in a schema of a PostgreSQL server. A program's locks are advisory locks of its transaction, taken together
 * with BEGIN: so they work behind a pooler in transaction mode.
 */
export class PostgresDatabase implements Database {
  readonly isSerial = false;
  readonly #connection: PostgresConnection;
  readonly #schema: string;
  readonly #plans: SharedPlans;
  readonly #migrations: readonly Migration<readonly string[]>[];
  readonly #lookups: PostgresLookups;

  constructor(connection: PostgresConnection, schema: string, { tables }: Pick<DatabaseSchema, 'tables'>) {
    const dialect = postgresDialect(schema);
    this.#connection = connection;
    this.#schema = schema;
    const compiler = new SqlCompiler(dialect);
    this.#plans = { compiler, joinedReads: new JoinedReads() };
    this.#lookups = new PostgresLookups(connection, compiler);
    this.#migrations = migrationsTo(tables, dialect);
  }

  read<Args, Result>(query: Query<Args, Result>, args: Args, signal?: AbortSignal): Promise<Result> {
    return this.#runRead(signal, query.name, (session) => session.run(query.run(args)));
  }

  peek<Value>(lookup: Lookup<Value>, key: string, signal?: AbortSignal): Promise<Value | undefined> {
    return this.#lookups.find(lookup, key, signal);
  }

  snapshot<Args, Result>(query: Query<Args, Result>, args: Args, signal?: AbortSignal): Promise<Result> {
    return this.#runRead(signal, query.name, async (session) => {
      session.send(BEGIN_SNAPSHOT);
      try {
        return await session.run(query.run(args));
      } finally {
        session.send(COMMIT);
      }
    });
  }

  async openSnapshot(signal?: AbortSignal): Promise<DatabaseSnapshot> {
    signal?.throwIfAborted();
    const opening = this.#connection.openSnapshot();
    const { client, close } = await raceSignal(opening, signal).catch((error: unknown) => {
      // Closes the snapshot if it opens after an abort.
      opening.then((late) => late.close()).catch(() => undefined);
      throw error;
    });
    let isOpen = true;
    return {
      read: async ({ name, run }, args, readSignal) => {
        readSignal?.throwIfAborted();
        if (!isOpen) throw new Fault('store_unavailable', 'the snapshot was closed');
        const session = new PostgresSession(client, this.#plans, name);
        const result = session.run(run(args)).catch((error: unknown) => {
          throw asFault(error);
        });
        return raceSignal(result, readSignal);
      },
      close: async () => {
        if (!isOpen) return;
        isOpen = false;
        await close();
      },
    };
  }

  async write<Args, Result>(program: Program<Args, Result>, args: Args): Promise<Result> {
    const begin = unprepared(`${BEGIN}${this.#lockStatement(program.locks(args))}`);
    return this.#connection.runWithRetries(async (client) => {
      const session = new PostgresSession(client, this.#plans, program.name);
      session.send(begin);
      const result = await resultOf(session, async () => {
        const value = await session.run(program.run(args));
        session.flush();
        return value;
      });
      // The commit is a second phase: an earlier failure changed nothing, so only the first phase may be retried.
      return () =>
        resultOf(session, async () => {
          session.send(COMMIT);
          const failure = await session.ended();
          if (failure !== undefined) throw failure;
          if (session.hasWritten) this.#connection.recordChange();
          return result;
        });
    });
  }

  async pause(): Promise<void> {
    await setImmediate();
  }

  migrate(): Promise<void> {
    return migrate(this.#connection, this.#schema, this.#migrations);
  }

  check(signal?: AbortSignal): Promise<Instant | undefined> {
    return checkSchema(this.#connection, this.#schema, signal);
  }

  examine(): Promise<DatabaseState> {
    return databaseState(this.#connection, this.#schema);
  }

  async close(): Promise<void> {
    this.#connection.close();
  }

  #runRead<Result>(
    signal: AbortSignal | undefined,
    name: string,
    work: (session: PostgresSession) => Promise<Result>,
  ): Promise<Result> {
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    const running = this.#connection.runWithRetries<Result>(async (client) => {
      const session = new PostgresSession(client, this.#plans, name);
      const result = await resultOf(session, () => work(session));
      // Waits for statements without a reader, such as a snapshot's COMMIT, before the connection is released.
      await session.ended();
      return async () => result;
    });
    return raceSignal(running, signal);
  }

  /** The statement that takes the locks in the same order in every program, so that programs cannot deadlock. */
  #lockStatement(locks: Locks): string {
    const calls = locksInOrder(locks).map(({ name, isShared }) => {
      return `pg_catalog.pg_advisory_xact_lock${isShared ? '_shared' : ''}(${lockNumber(this.#schema, name)})`;
    });
    // The server evaluates the columns of a row in order.
    return calls.length === 0 ? '' : `; SELECT ${calls.join(', ')}`;
  }
}

/** Returns the result of work. Throws mistakes of the program or its statements as {@link ProgramError}: no retry helps. */
async function resultOf<Result>(session: PostgresSession, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    const first = await session.ended();
    // The first failure is the cause: after it, the server refuses all later statements of the transaction.
    const failure = first === undefined || reasonOf(first) === reasonOf(cause) ? cause : first;
    if (first === undefined || kindOf(failure) === 'bug') throw new ProgramError('', { cause: failure });
    throw failure;
  }
}

const TYPES = { text: 'text COLLATE "C"', integer: 'bigint', flag: 'boolean', json: 'text' } as const;

/**
 * Vacuums when 1 % of the rows are dead or 2 % are new, not 20 % as by default: programs update rows often. The fill factor
 * leaves room on the page for the next version of a row.
 */
const STORAGE =
  'fillfactor = 85, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.02';

/**
 * The SQL of PostgreSQL. The collation "C" sorts by code point on every server. JSON is stored as text, since it is only
 * read as a whole, and `jsonb` would not preserve it.
 */
export function postgresDialect(schema: string): SqlDialect {
  return {
    quote: quoted,
    table: (name) => `${quoted(schema)}.${quoted(name)}`,
    parameter: (place) => `$${place}`,
    isIn: (column, parameter) => `${column} = ANY (${parameter}::text[])`,
    list: (values) => values,
    contains: (column, parameter) => `pg_catalog.strpos(${column}, ${parameter}) > 0`,
    isFlag: (column, isSet) => (isSet ? column : `NOT ${column}`),
    writeFlag: (value) => value,
    readFlag: (value) => value === true,
    wholeNumber: (sum) => `CAST(${sum} AS bigint)`,
    joinKeepsSubqueryOrder: false,
    columnType: ({ type, isNullable }) => {
      if (type === 'sequence') return 'bigint GENERATED ALWAYS AS IDENTITY';
      return `${TYPES[type]}${isNullable ? '' : ' NOT NULL'}`;
    },
    sequenceIsPrimaryKey: false,
    tableEnd: () => `WITH (${STORAGE})`,
    indexColumns: (columns, covers) => {
      const included = covers.length === 0 ? '' : ` INCLUDE (${covers.join(', ')})`;
      return `(${columns.join(', ')})${included}`;
    },
  };
}
