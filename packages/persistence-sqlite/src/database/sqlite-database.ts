import { setImmediate } from 'node:timers/promises';
import { Fault } from '@pinfold/core';
import type { Migration } from '@pinfold/core/adapter';
import type {
  Database,
  DatabaseSchema,
  DatabaseSnapshot,
  DatabaseState,
  Lookup,
  Program,
  Query,
} from '@pinfold/core/records';
import { migrationsTo, SqlCompiler } from '@pinfold/core/sql';
import type { Checkpointer } from '../engine/checkpointer.ts';
import type { SqliteConnection } from '../engine/sqlite-connection.ts';
import { asFault } from '../engine/sqlite-errors.ts';
import type { SqliteFile } from '../engine/sqlite-file.ts';
import { checkSchema, databaseState, migrate } from '../schema/migrate.ts';
import type { ThreadedWriter } from '../writing/threaded-writer.ts';
import { runSteps, SQLITE } from './sqlite-steps.ts';

/** The threads of a database. */
interface SqliteThreads {
  readonly checkpointer?: Pick<Checkpointer, 'close'>;
  readonly writer?: Pick<ThreadedWriter, 'write' | 'close'>;
}

/**
 * A database in a SQLite file, which several processes of one machine may share. A program runs in one transaction, whose
 * lock of the file makes the program's own locks unnecessary. It runs in the writer's thread or, while there is none, in
 * the event loop, which then waits for the flush of its commit.
 */
export class SqliteDatabase implements Database {
  readonly isSerial = true;
  readonly #connection: SqliteConnection;
  readonly #threads: SqliteThreads;
  readonly #compiler: SqlCompiler = new SqlCompiler(SQLITE);
  readonly #migrations: readonly Migration<readonly string[]>[];

  constructor(
    connection: SqliteConnection,
    { tables }: Pick<DatabaseSchema, 'tables'>,
    threads: SqliteThreads = {},
  ) {
    this.#connection = connection;
    this.#threads = threads;
    this.#migrations = migrationsTo(tables, SQLITE);
  }

  read<Args, Result>(query: Query<Args, Result>, args: Args, signal?: AbortSignal): Promise<Result> {
    return this.#connection.read((file) => runSteps(this.#compiler, query, args, file), signal);
  }

  peek<Value>(
    lookup: Lookup<Value>,
    key: string,
    signal?: AbortSignal,
  ): Promise<Value | undefined> | Value | undefined {
    const plan = this.#compiler.lookupPlanOf(lookup);
    return this.#connection.readAtOnce((file) => file.cached(plan.text, key, plan.make), signal);
  }

  snapshot<Args, Result>(query: Query<Args, Result>, args: Args, signal?: AbortSignal): Promise<Result> {
    const run = (file: SqliteFile): Result => runSteps(this.#compiler, query, args, file);
    return this.#connection.read((file) => file.transaction('BEGIN', () => run(file)), signal);
  }

  async openSnapshot(signal?: AbortSignal): Promise<DatabaseSnapshot> {
    const file = await this.#connection.readTransaction(signal);
    let isOpen = true;
    return {
      read: async (query, args, readSignal) => {
        readSignal?.throwIfAborted();
        if (!isOpen) throw new Fault('store_unavailable', 'the snapshot was closed');
        try {
          return runSteps(this.#compiler, query, args, file);
        } catch (error) {
          throw asFault(error);
        }
      },
      close: async () => {
        isOpen = false;
        file.close();
      },
    };
  }

  async write<Args, Result>(program: Program<Args, Result>, args: Args): Promise<Result> {
    const run = (file: SqliteFile): Result => runSteps(this.#compiler, program, args, file);
    const written = this.#threads.writer?.write(program, args);
    return written ?? this.#connection.write(run, program.usesReserve(args));
  }

  async pause(): Promise<void> {
    await setImmediate();
  }

  migrate(): Promise<void> {
    return migrate(this.#connection, this.#migrations);
  }

  check(signal?: AbortSignal): Promise<undefined> {
    return checkSchema(this.#connection, signal);
  }

  examine(): Promise<DatabaseState> {
    return this.#connection.read(({ prepare }) => databaseState(prepare));
  }

  async close(): Promise<void> {
    const { writer, checkpointer } = this.#threads;
    // The last connection to close copies the log into the file: that of the thread, if there is one.
    this.#connection.close();
    await writer?.close();
    await checkpointer?.close();
  }
}
