import { setImmediate } from 'node:timers/promises';
import { Fault, isFault } from '@pinfold/core';
import type { Migration, MigrationScope, OnMigration } from '@pinfold/core/adapter';
import {
  type Database,
  type DatabaseSchema,
  type DatabaseSnapshot,
  type DatabaseState,
  type Lookup,
  type Program,
  type Query,
  runAtOnce,
  type ScanAction,
  StepError,
  type Steps,
  type TableAction,
} from '@pinfold/core/records';
import { type LookupPlan, SqlCompiler, type SqlPlan, type SqlRow } from '@pinfold/core/sql';
import type { Checkpointer } from '../engine/checkpointer.ts';
import type { SqliteConnection } from '../engine/sqlite-connection.ts';
import { asFault, isOfSqlite } from '../engine/sqlite-errors.ts';
import type { Prepare } from '../engine/sqlite-file.ts';
import { databaseState } from '../schema/database-state.ts';
import { checkSchema, migrate } from '../schema/migrate.ts';
import { migrationsTo } from '../schema/migrations.ts';
import { SQLITE } from './sqlite-dialect.ts';

/**
 * A database in a SQLite file, which several processes of one machine may share. A program runs in one turn of the event
 * loop and in one transaction, which holds the lock of the file: its own locks are not needed.
 */
export class SqliteDatabase implements Database {
  readonly isSerial = true;
  readonly #connection: SqliteConnection;
  readonly #checkpointer: Pick<Checkpointer, 'close'>;
  readonly #compiler: SqlCompiler = new SqlCompiler(SQLITE);
  readonly #lookups: Map<Lookup<unknown>, LookupPlan<unknown>> = new Map();
  readonly #migrations: readonly Migration[];

  constructor(
    connection: SqliteConnection,
    checkpointer: Pick<Checkpointer, 'close'>,
    { tables }: Pick<DatabaseSchema, 'tables'>,
  ) {
    this.#connection = connection;
    this.#checkpointer = checkpointer;
    this.#migrations = migrationsTo(tables);
  }

  read<Args, Result>(query: Query<Args, Result>, args: Args, signal?: AbortSignal): Promise<Result> {
    return placed(
      (work) => this.#connection.read((prepare) => work(prepare), signal),
      (prepare) => this.#run(query.name, query.run(args), prepare, false),
    );
  }

  peek<Value>(
    lookup: Lookup<Value>,
    key: string,
    signal?: AbortSignal,
  ): Promise<Value | undefined> | Value | undefined {
    let plan = this.#lookups.get(lookup) as LookupPlan<Value> | undefined;
    if (plan === undefined) {
      plan = this.#compiler.lookupPlanOf(lookup);
      this.#lookups.set(lookup, plan);
    }
    return this.#connection.readCached(plan.text, key, plan.make, signal);
  }

  async snapshot<Args, Result>(
    query: Query<Args, Result>,
    args: Args,
    signal?: AbortSignal,
  ): Promise<Result> {
    signal?.throwIfAborted();
    return placed(
      (work) => this.#connection.snapshot(work),
      (prepare) => this.#run(query.name, query.run(args), prepare, true),
    );
  }

  async openSnapshot(signal?: AbortSignal): Promise<DatabaseSnapshot> {
    signal?.throwIfAborted();
    const file = await this.#connection.readTransaction();
    let isOpen = true;
    const inFile = async <Result>(work: (prepare: Prepare) => Result): Promise<Result> => {
      if (!isOpen) throw new Fault('store_unavailable', 'the snapshot was closed');
      try {
        return work(file.prepare);
      } catch (error) {
        throw asFault(error);
      }
    };
    return {
      read: async (query, args, another) => {
        another?.throwIfAborted();
        return placed(inFile, (prepare) => this.#run(query.name, query.run(args), prepare, true));
      },
      close: async () => {
        isOpen = false;
        file.close();
      },
    };
  }

  write<Args, Result>(program: Program<Args, Result>, args: Args): Promise<Result> {
    const method = program.usesReserve(args) ? 'writeFromReserve' : 'write';
    return placed(
      (work) => this.#connection[method]((prepare) => work(prepare)),
      (prepare) => this.#run(program.name, program.run(args), prepare, true),
    );
  }

  async pause(): Promise<void> {
    await setImmediate();
  }

  migrate(scope?: MigrationScope, onMigration?: OnMigration): Promise<void> {
    return migrate(this.#connection, this.#migrations, scope, onMigration);
  }

  check(signal?: AbortSignal): Promise<undefined> {
    return checkSchema(this.#connection, signal, this.#migrations);
  }

  examine(): Promise<DatabaseState> {
    return this.#connection.read((prepare) => databaseState(prepare, this.#migrations));
  }

  async close(): Promise<void> {
    this.#connection.close();
    await this.#checkpointer.close();
  }

  #run<Result>(name: string, steps: Steps<Result>, prepare: Prepare, isInTransaction: boolean): Result {
    return runAtOnce(name, steps, (action) => this.#answer(action, prepare, isInTransaction));
  }

  #answer(action: TableAction, prepare: Prepare, isInTransaction: boolean): unknown {
    if (action.kind === 'scan') {
      const scan = (): unknown => this.#scan(action, prepare);
      return isInTransaction ? scan() : inTransaction(prepare, scan);
    }
    const plan = this.#compiler.planOf(action);
    if (plan === undefined) return undefined;
    return answered(plan, action, prepare);
  }

  #scan(action: ScanAction, prepare: Prepare): unknown {
    const plans = this.#compiler.scanPlansOf(action);
    const rows = answered(plans.rows, action, prepare) as readonly unknown[];
    if (rows.length === action.limit) return { rows, scannedTo: undefined };
    return { rows, scannedTo: answered(plans.end, action, prepare) };
  }
}

function answered(
  { text, values, result, isOneRow }: SqlPlan,
  action: TableAction,
  prepare: Prepare,
): unknown {
  const statement = prepare<SqlRow>(text);
  if (result === undefined) {
    statement.run(...values(action));
    return undefined;
  }
  if (!isOneRow) return result(statement.all(...values(action)));
  const row = statement.get(...values(action));
  return result(row === undefined ? [] : [row]);
}

function inTransaction<Result>(prepare: Prepare, work: () => Result): Result {
  prepare('BEGIN').run();
  let result: Result;
  try {
    result = work();
  } catch (error) {
    rollBack(prepare);
    throw error;
  }
  prepare('COMMIT').run();
  return result;
}

function rollBack(prepare: Prepare): void {
  try {
    prepare('ROLLBACK').run();
  } catch (error) {
    // After some errors SQLite has rolled back already.
    if (!isOfSqlite(error)) throw error;
  }
}

/**
 * Runs work through the connection, which has to see the errors of SQLite themselves to wait and to open the file anew, and
 * puts the place of the step into the error that comes of it.
 */
async function placed<Result>(
  through: (work: (prepare: Prepare) => Result) => Promise<Result>,
  work: (prepare: Prepare) => Result,
): Promise<Result> {
  let failed: StepError | undefined;
  try {
    return await through((prepare) => {
      failed = undefined;
      try {
        return work(prepare);
      } catch (error) {
        if (!(error instanceof StepError) || !isOfSqlite(error.cause)) throw error;
        failed = error;
        throw error.cause;
      }
    });
  } catch (error) {
    if (failed === undefined) throw error;
    throw isFault(error) ? new Fault(error.code, error.message, { cause: failed }) : failed;
  }
}
