import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { Fault, type FeedId } from '@pinfold/core';
import {
  examineSchema,
  type Migration,
  type Persistence,
  planMigrations,
  refuseOutdated,
  type SchemaState,
} from '@pinfold/core/adapter';
import {
  type Database,
  type DatabaseSchema,
  type DatabaseSnapshot,
  type DatabaseState,
  type Lookup,
  type Program,
  type Query,
  rejectionOf,
  runAtOnce,
  type ScanAction,
  type TableAction,
} from '@pinfold/core/records';
import { migrationsTo, quoted, SqlCompiler, type SqlDialect, type SqlPlan } from '@pinfold/core/sql';
import { createPersistence, STORE_SCHEMA } from '@pinfold/core/stores';

/** Opens every store of Pinfold in one file, which is created when it is first used. */
export function openNodeSqlite(file: string): Persistence {
  const newFeed = (): FeedId => crypto.randomUUID().replaceAll('-', '') as FeedId;
  return createPersistence(new NodeSqliteDatabase(file, STORE_SCHEMA), newFeed);
}

const TYPES = { text: 'TEXT', integer: 'INTEGER', flag: 'INTEGER', json: 'TEXT' } as const;

/** The SQL of SQLite. It compares texts by their bytes in UTF-8, which is the order of code points. */
const DIALECT: SqlDialect = {
  quote: quoted,
  table: quoted,
  parameter: () => '?',
  isIn: (column, parameter) => `${column} IN (SELECT value FROM json_each(${parameter}))`,
  list: JSON.stringify,
  contains: (column, parameter) => `instr(${column}, ${parameter}) > 0`,
  isFlag: (column, isSet) => `${column} = ${Number(isSet)}`,
  writeFlag: Number,
  readFlag: (value) => value === 1,
  wholeNumber: (sum) => sum,
  joinKeepsSubqueryOrder: false,
  columnType: ({ type, isNullable }) => {
    // Without AUTOINCREMENT the number of the last row would be used again after its removal.
    if (type === 'sequence') return 'INTEGER PRIMARY KEY AUTOINCREMENT';
    return `${TYPES[type]}${isNullable ? '' : ' NOT NULL'}`;
  },
  sequenceIsPrimaryKey: true,
  tableEnd: () => 'STRICT',
  indexColumns: (columns, covers, compared) => {
    const others = covers.length === 0 ? [] : [...covers, ...compared];
    return `(${[...new Set([...columns, ...others])].join(', ')})`;
  },
};

const CREATE_STATE = `CREATE TABLE IF NOT EXISTS schema_state
  (one INTEGER PRIMARY KEY, version INTEGER, oldest_version INTEGER, oldest_release TEXT) STRICT`;
const FIND_STATE = "SELECT 1 FROM sqlite_schema WHERE name = 'schema_state'";
const READ_STATE =
  'SELECT version, oldest_version AS oldestVersion, oldest_release AS oldestRelease FROM schema_state';
const WRITE_STATE = 'INSERT OR REPLACE INTO schema_state VALUES (1, ?, ?, ?)';

/**
 * A database in a SQLite file. A program runs in one turn of the event loop and in one transaction, which holds the lock
 * of the file. So programs run one after the other, and their own locks are not needed.
 */
export class NodeSqliteDatabase implements Database {
  readonly isSerial = true;
  readonly #file: string;
  readonly #migrations: readonly Migration<readonly string[]>[];
  readonly #compiler: SqlCompiler = new SqlCompiler(DIALECT);
  readonly #snapshots: Set<Connection> = new Set();
  #connection: Connection | undefined;
  #isClosed = false;

  constructor(file: string, { tables }: DatabaseSchema) {
    this.#file = file;
    this.#migrations = migrationsTo(tables, DIALECT);
  }

  async read<Args, Result>(query: Query<Args, Result>, args: Args, signal?: AbortSignal): Promise<Result> {
    return this.#using((connection) => this.#run(connection, query, args), signal);
  }

  peek<Value>(lookup: Lookup<Value>, key: string, signal?: AbortSignal): Value | undefined {
    return this.#using((connection) => {
      const { text, make } = this.#compiler.lookupPlanOf(lookup);
      const [row] = connection.all(text, key);
      return row && make(row);
    }, signal);
  }

  async snapshot<Args, Result>(
    query: Query<Args, Result>,
    args: Args,
    signal?: AbortSignal,
  ): Promise<Result> {
    const run = (connection: Connection): Result =>
      connection.transaction('BEGIN', () => this.#run(connection, query, args));
    return this.#using(run, signal);
  }

  async openSnapshot(signal?: AbortSignal): Promise<DatabaseSnapshot> {
    return this.#using(() => {
      const connection = new Connection(this.#file, 'read');
      this.#snapshots.add(connection);
      connection.run('BEGIN');
      // The first read of anything fixes the state.
      connection.all(FIND_STATE);
      return {
        read: async (query, args, another) => this.#using(() => this.#run(connection, query, args), another),
        close: async () => {
          this.#snapshots.delete(connection);
          connection.close();
        },
      };
    }, signal);
  }

  async write<Args, Result>(program: Program<Args, Result>, args: Args): Promise<Result> {
    return this.#using((connection) =>
      connection.transaction('BEGIN IMMEDIATE', () => this.#run(connection, program, args)),
    );
  }

  async pause(): Promise<void> {
    await setImmediate();
  }

  async migrate(): Promise<void> {
    this.#using((connection) =>
      connection.transaction('BEGIN IMMEDIATE', () => {
        connection.run(CREATE_STATE);
        const { steps, reached } = planMigrations(stateIn(connection), this.#migrations);
        for (const { sql } of steps) for (const statement of sql) connection.run(statement);
        if (reached === undefined) return;
        connection.run(WRITE_STATE, reached.version, reached.oldestVersion, reached.oldestRelease);
      }),
    );
  }

  async check(signal?: AbortSignal): Promise<undefined> {
    this.#using((connection) => refuseOutdated(stateIn(connection), this.#migrations), signal);
  }

  async examine(): Promise<DatabaseState> {
    return this.#using((connection) => {
      const [{ release } = {}] = connection.all('SELECT sqlite_version() AS release');
      const [{ quick_check: damage } = {}] = connection.all('PRAGMA quick_check(1)');
      return {
        release: String(release),
        ...examineSchema(stateIn(connection), this.#migrations),
        ...(damage === 'ok' ? {} : { damage: String(damage) }),
      };
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const snapshot of this.#snapshots) snapshot.close();
    this.#snapshots.clear();
    this.#connection?.close();
    this.#connection = undefined;
  }

  /** Every call passes here: the first one opens the file, and errors become those that callers may see. */
  #using<Result>(work: (connection: Connection) => Result, signal?: AbortSignal): Result {
    signal?.throwIfAborted();
    if (this.#isClosed) throw new Fault('store_unavailable', 'the database was closed');
    try {
      this.#connection ??= new Connection(this.#file, 'write');
      return work(this.#connection);
    } catch (error) {
      throw rejectionOf(error, signal);
    }
  }

  #run<Args, Result>(
    connection: Connection,
    { name, run }: Program<Args, Result> | Query<Args, Result>,
    args: Args,
  ): Result {
    return runAtOnce(name, run(args), (action) => this.#answer(connection, action));
  }

  #answer(connection: Connection, action: TableAction): unknown {
    if (action.kind === 'scan') return this.#scan(connection, action);
    const plan = this.#compiler.planOf(action);
    return plan && answerOf(connection, plan, action);
  }

  #scan(connection: Connection, action: ScanAction): unknown {
    const { rows: rowsPlan, end } = this.#compiler.scanPlansOf(action);
    const rows = answerOf(connection, rowsPlan, action) as readonly unknown[];
    const isFull = rows.length === action.limit;
    return { rows, scannedTo: isFull ? undefined : answerOf(connection, end, action) };
  }
}

function answerOf(connection: Connection, plan: SqlPlan, action: TableAction): unknown {
  const values = plan.values(action) as SQLInputValue[];
  const rows = connection.all(plan.text, ...values);
  return plan.result?.(rows);
}

function stateIn(connection: Connection): SchemaState | undefined {
  if (connection.all(FIND_STATE).length === 0) return undefined;
  const [row] = connection.all(READ_STATE);
  if (row === undefined) return undefined;
  const { version, oldestVersion, oldestRelease } = row;
  return {
    version: Number(version),
    oldestVersion: Number(oldestVersion),
    oldestRelease: String(oldestRelease),
  };
}

type Row = Record<string, SQLOutputValue>;

/** One open file, whose errors are faults if the file is the cause. */
class Connection {
  readonly #database: DatabaseSync;
  readonly #statements: Map<string, StatementSync> = new Map();

  constructor(file: string, access: 'read' | 'write') {
    const readOnly = access === 'read';
    this.#database = orFault(() => new DatabaseSync(file, { timeout: 5_000, readOnly }));
    if (readOnly) return;
    // A program is on the disk when its promise resolves, and readers do not wait for writers.
    this.run('PRAGMA journal_mode = WAL');
    this.run('PRAGMA synchronous = FULL');
  }

  all(text: string, ...values: readonly SQLInputValue[]): Row[] {
    return orFault(() => {
      const statement = this.#statements.get(text) ?? this.#database.prepare(text);
      this.#statements.set(text, statement);
      return statement.all(...values);
    });
  }

  run(text: string, ...values: readonly SQLInputValue[]): void {
    this.all(text, ...values);
  }

  transaction<Result>(begin: 'BEGIN' | 'BEGIN IMMEDIATE', work: () => Result): Result {
    this.run(begin);
    try {
      const result = work();
      this.run('COMMIT');
      return result;
    } catch (error) {
      // After some errors SQLite has rolled back already.
      if (this.#database.isTransaction) this.run('ROLLBACK');
      throw error;
    }
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }
}

/** The codes of SQLite for errors that no program can cause: https://sqlite.org/rescode.html */
const UNAVAILABLE = new Set([3, 5, 6, 7, 8, 10, 13, 14, 15]);
const CORRUPT = new Set([11, 26]);

interface NodeSqliteError extends Error {
  readonly code?: string;
  readonly errcode?: number;
}

function orFault<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const { code, errcode = 0, message } = error as NodeSqliteError;
    // Extended codes have the primary one in their lowest byte.
    const primary = errcode & 0xff;
    const isClosed = code === 'ERR_INVALID_STATE';
    if (isClosed || UNAVAILABLE.has(primary)) throw new Fault('store_unavailable', message, { cause: error });
    if (CORRUPT.has(primary)) throw new Fault('store_corrupt', message, { cause: error });
    throw error;
  }
}
