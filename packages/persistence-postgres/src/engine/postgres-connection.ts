import { type Clock, duration, Fault } from '@pinfold/core';
import { raceSignal } from '@pinfold/core/adapter';
import { asFault, troubleOf } from './postgres-errors.ts';
import { type Statement, TYPES, unprepared } from './statement.ts';

/** What is used of a client of `pg`: `query` is answered in order, and `release(true)` ends the connection. */
export interface PostgresClient {
  // biome-ignore lint/suspicious/noExplicitAny: a row is what its statement says, which no type can tell
  query(query: any): Promise<{ readonly rows: any[]; readonly rowCount: number | null }>;
  release(destroy?: boolean): void;
  /** A connection that breaks between two queries says so here; unheard, it would end the process. */
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** What is used of a pool of `pg`: named by its members, so that any version and any wrapper of it will do. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  /** A connection that breaks while nobody uses it says so here; unheard, it would end the process. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  off(event: 'error', listener: (error: Error) => void): unknown;
}

/** How long serialization failures and deadlocks are tried again, all in all. */
const PATIENCE = 5_000;
const LONGEST_WAIT = 64;
/** How many broken connections are put up with: after a restart a pool may hold several. */
const MOST_BROKEN = 3;

const BEGIN = unprepared('BEGIN ISOLATION LEVEL READ COMMITTED');
const BEGIN_SNAPSHOT = unprepared(`
  BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
  SET LOCAL idle_in_transaction_session_timeout = 0`);
const COMMIT = unprepared('COMMIT');
const ROLLBACK = unprepared('ROLLBACK');

/** Only a server that follows no other one reads what is true now. */
const IS_STANDBY = unprepared('SELECT pg_catalog.pg_is_in_recovery() AS standby');

/** Rows, and how many a statement without any changed. */
export interface Answer<Row> {
  readonly rows: readonly Row[];
  readonly count: number;
}

/** Runs one statement. */
export type Run = <Row = unknown>(statement: Statement, values?: readonly unknown[]) => Promise<Answer<Row>>;

const ignore = (): void => {};

/**
 * The pool as the stores use it. What certainly did nothing is tried again; what may have been done is
 * `store_unavailable`, and the caller looks.
 */
export class PostgresConnection {
  readonly #pool: PostgresPool;
  readonly #sleep: Clock['sleep'];
  readonly #primaries: WeakSet<PostgresClient> = new WeakSet();
  #closed = false;

  constructor(pool: PostgresPool, sleep: Clock['sleep']) {
    this.#pool = pool;
    this.#sleep = sleep;
  }

  /** Begins to listen for connections that break while nobody uses them. */
  open(): void {
    this.#pool.on('error', ignore);
  }

  close(): void {
    this.#pool.off('error', ignore);
    this.#closed = true;
  }

  /** Runs a statement that changes nothing. An abort leaves its answer to nobody. */
  read<Row>(statement: Statement, values: readonly unknown[], signal?: AbortSignal): Promise<readonly Row[]> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const answer = this.#patiently(() => this.#withClient((run) => undone(run<Row>(statement, values))));
    const rows = answer.then((answered) => answered.rows);
    return raceSignal(rows, signal);
  }

  /** Runs one statement that changes something: it is done whole or not at all. */
  write<Row>(statement: Statement, values: readonly unknown[]): Promise<Answer<Row>> {
    return this.#patiently(() => this.#withClient((run) => run<Row>(statement, values)));
  }

  /** Runs several statements in one transaction; they may run again from the first until the commit is asked for. */
  transaction<Result>(work: (run: Run) => Promise<Result>): Promise<Result> {
    return this.#patiently(() => this.#withClient((run) => transact(run, work)));
  }

  /**
   * Walks statements that must all see one state, however long their reader takes. What breaks on the way is not tried
   * again.
   */
  async *snapshot<Item>(work: (run: Run) => AsyncIterable<Item>): AsyncGenerator<Item, void> {
    const client = await this.#patiently(() => this.#takeClient());
    const run: Run = async (statement, values = []) => {
      try {
        return await ask(client, statement, values);
      } catch (error) {
        throw asFault(error);
      }
    };
    let broken = true;
    try {
      await run(BEGIN_SNAPSHOT);
      yield* work(run);
      await run(ROLLBACK);
      broken = false;
    } finally {
      // Whoever stops reading leaves a transaction behind: it ends with its connection.
      client.release(broken);
    }
  }

  async #patiently<Result>(attempt: () => Promise<Result>): Promise<Result> {
    let waited = 0;
    let broken = 0;
    for (let wait = 1; ; wait = Math.min(wait * 2, LONGEST_WAIT)) {
      try {
        return await attempt();
      } catch (error) {
        broken += error instanceof NoEffectError ? 1 : 0;
        if (!isUndone(error) || broken > MOST_BROKEN || waited + wait > PATIENCE)
          throw asFault(causeOf(error));
      }
      await this.#sleep(duration(wait));
      waited += wait;
    }
  }

  /** A client of its own, to be released by whoever takes it. */
  async #takeClient(): Promise<PostgresClient> {
    if (this.#closed) throw new Fault('store_unavailable', 'the database was closed');
    const client = await this.#pool.connect();
    try {
      await undone(this.#provePrimary(client, (statement, values = []) => ask(client, statement, values)));
      return client;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  async #withClient<Result>(work: (run: Run) => Promise<Result>): Promise<Result> {
    if (this.#closed) throw new Fault('store_unavailable', 'the database was closed');
    const client = await this.#pool.connect();
    let broken = false;
    try {
      const run: Run = (statement, values = []) => ask(client, statement, values);
      await this.#provePrimary(client, run);
      return await work(run);
    } catch (error) {
      broken = troubleOf(causeOf(error)) === 'broken';
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /** A standby answers reads with what was true a while ago. A connection stays with its server: one look is enough. */
  async #provePrimary(client: PostgresClient, run: Run): Promise<void> {
    if (this.#primaries.has(client)) return;
    client.on('error', ignore);
    const { rows } = await run<{ standby: boolean }>(IS_STANDBY);
    if (rows[0]?.standby !== false) throw new Error('the server is a standby');
    this.#primaries.add(client);
  }
}

/** What was asked has changed nothing, for certain. */
class NoEffectError extends Error {}

function isUndone(error: unknown): boolean {
  return error instanceof NoEffectError || troubleOf(error) === 'rolled_back';
}

function causeOf(error: unknown): unknown {
  return error instanceof NoEffectError ? error.cause : error;
}

/** Marks a connection that broke as of no consequence. */
async function undone<Result>(asked: Promise<Result>): Promise<Result> {
  try {
    return await asked;
  } catch (error) {
    if (troubleOf(error) === 'broken') throw new NoEffectError('the connection broke', { cause: error });
    throw error;
  }
}

/** A transaction whose commit was never asked for is rolled back, by us or by the server that misses us. */
async function transact<Result>(run: Run, work: (run: Run) => Promise<Result>): Promise<Result> {
  const result = await undone(begin(run, work));
  await run(COMMIT);
  return result;
}

async function begin<Result>(run: Run, work: (run: Run) => Promise<Result>): Promise<Result> {
  await run(BEGIN);
  try {
    return await work(run);
  } catch (error) {
    if (troubleOf(error) !== 'broken') await run(ROLLBACK);
    throw error;
  }
}

async function ask<Row>(
  client: PostgresClient,
  statement: Statement,
  values: readonly unknown[],
): Promise<Answer<Row>> {
  const { name, text, timeout } = statement;
  const { rows, rowCount } = await client.query({
    text,
    values: [...values],
    types: TYPES,
    ...(name === undefined ? {} : { name }),
    ...(timeout === undefined ? {} : { query_timeout: timeout }),
  });
  return { rows, count: rowCount ?? 0 };
}
