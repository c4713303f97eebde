import type { Writable } from 'node:stream';
import { type Clock, duration, Fault } from '@pinfold/core';
import { raceSignal } from '@pinfold/core/adapter';
import { type DatabaseRefusal, markRefusal } from '@pinfold/core/internal';
import { asFault, isOfServer, isReadOnly, kindOf, refusesChanges, UNAVAILABLE } from './postgres-errors.ts';
import { ROLLBACK, type Statement, TYPES, unprepared } from './statement.ts';

/** The part of `pg`'s client that the stores use. It runs queries in order; `release(true)` ends the connection. */
export interface PostgresClient {
  // biome-ignore lint/suspicious/noExplicitAny: the type of a row depends on its statement
  query(query: any): Promise<{ readonly rows: any[] }>;
  release(destroy?: boolean): void;
  /** Whether the pool is configured to send a query without waiting for the previous answer. */
  readonly pipeline?: boolean;
  /** The socket, as in `pg`. Without one, each statement is sent alone. */
  readonly connection?: { readonly stream?: Pick<Writable, 'cork' | 'uncork'> };
  /** Emitted by a connection that breaks between two queries. Without a listener, it would end the process. */
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** The part of `pg`'s pool that the stores use, as a structural type that fits any version or wrapper. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  /** `error`: an idle connection broke. `connect`: a new connection, which may break before {@link connect} resolves. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'connect', listener: (client: PostgresClient) => void): unknown;
  off(event: 'error', listener: (error: Error) => void): unknown;
  off(event: 'connect', listener: (client: PostgresClient) => void): unknown;
}

/** The total wait between retries of one call, in milliseconds. */
const MAX_TOTAL_WAIT = 5_000;
const MAX_WAIT = 64;
/** How many broken connections one call tolerates: after a restart a pool may hold several. */
const MAX_BROKEN = 3;

/** `SELECT 1` takes the snapshot now: PostgreSQL takes it at the first query after BEGIN. */
const BEGIN_SNAPSHOT = unprepared(`
  BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
  SET LOCAL idle_in_transaction_session_timeout = 0;
  SELECT 1`);

const IS_READ_ONLY = unprepared(`
  SELECT pg_catalog.current_setting('transaction_read_only') = 'on' AS "isReadOnly"`);

const IS_STANDBY = unprepared('SELECT pg_catalog.pg_is_in_recovery() AS standby');

/** Runs statements on a connection. */
export interface Client {
  readonly run: <Row = unknown>(statement: Statement, values?: readonly unknown[]) => Promise<readonly Row[]>;
  /** Whether a statement may be sent without waiting for the previous answer. */
  readonly isPipelined: boolean;
}

const ignore = (): void => {};
const guarded: WeakSet<PostgresClient> = new WeakSet();

/** Adds an error listener, without which a broken connection would end the process. Its queries fail in any case. */
export function ignoreBreaks(client: PostgresClient): void {
  if (!guarded.has(client)) client.on('error', ignore);
  guarded.add(client);
}

/** Runs the stores' statements on a pool. Retries if they certainly had no effect; else fails with `store_unavailable`. */
export class PostgresConnection {
  readonly #pool: PostgresPool;
  readonly #sleep: Clock['sleep'];
  /** What the server refused at the last attempt. */
  readonly #refuses: Record<DatabaseRefusal['refused'], boolean> = { connections: false, changes: false };
  /** Whether it refused changes because it is read-only. */
  #isReadOnly = false;
  #closed = false;

  constructor(pool: PostgresPool, sleep: Clock['sleep']) {
    this.#pool = pool;
    this.#sleep = sleep;
    pool.on('error', ignore);
    pool.on('connect', ignoreBreaks);
  }

  close(): void {
    this.#pool.off('error', ignore);
    this.#pool.off('connect', ignoreBreaks);
    this.#closed = true;
  }

  /** Runs a statement that changes nothing. After an abort, its result is ignored. */
  read<Row>(statement: Statement, values: readonly unknown[], signal?: AbortSignal): Promise<readonly Row[]> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const rows = this.runWithRetries(async ({ run }) => {
      const found = await run<Row>(statement, values);
      return async () => found;
    });
    return raceSignal(rows, signal);
  }

  /**
   * Runs `work`, then the function that it returns. A transaction begins in `work`, which sends BEGIN, and ends in that
   * function, which sends COMMIT. Retries both if nothing has changed: the server rolled the transaction back, or the
   * connection broke before the commit.
   */
  async runWithRetries<Result>(work: (client: Client) => Promise<() => Promise<Result>>): Promise<Result> {
    let waited = 0;
    let broken = 0;
    for (let wait = 1; ; wait = Math.min(wait * 2, MAX_WAIT)) {
      const pooled = await this.#takeClient();
      const client = clientOn(pooled);
      let isCommitting = false;
      let isBroken = false;
      try {
        const commit = await work(client).catch(async (error: unknown) => {
          if (kindOf(error) !== 'broken') await client.run(ROLLBACK);
          throw error;
        });
        isCommitting = true;
        return await commit();
      } catch (error) {
        isBroken = kindOf(error) === 'broken';
        broken += Number(isBroken);
        const isUndone = isBroken ? !isCommitting : kindOf(error) === 'rolled_back';
        if (!isUndone || broken > MAX_BROKEN || waited + wait > MAX_TOTAL_WAIT)
          throw refusesChanges(error) ? this.#refuseChanges(error) : asFault(error);
      } finally {
        pooled.release(isBroken);
      }
      await this.#sleep(duration(wait));
      waited += wait;
    }
  }

  /** Opens a read-only transaction that sees one state, on a connection of its own; `close` releases it. */
  async openSnapshot(): Promise<{ readonly client: Client; close(): Promise<void> }> {
    const pooled = await this.#takeClient();
    const client = clientOn(pooled);
    try {
      await client.run(BEGIN_SNAPSHOT);
    } catch (error) {
      pooled.release(true);
      throw asFault(error);
    }
    const close = async (): Promise<void> => {
      const isBroken = await client.run(ROLLBACK).then(
        () => false,
        () => true,
      );
      pooled.release(isBroken);
    };
    return { client, close };
  }

  /** Tries again what the server refused: it may accept it by now. */
  async retryRefused(): Promise<void> {
    await this.#retryConnection();
    await this.#retryChange();
  }

  async #retryConnection(): Promise<void> {
    const idle: PostgresClient[] = [];
    try {
      // The pool opens a new connection once all idle ones are taken.
      while (this.#refuses.connections) idle.push(await this.#takeClient());
    } catch {
      // Open connections still work.
    } finally {
      for (const client of idle) client.release();
    }
  }

  /** Asks whether the server still is read-only. Only a change itself can show that a full disk has space again. */
  async #retryChange(): Promise<void> {
    if (!this.#refuses.changes || !this.#isReadOnly) return;
    const client = await this.#takeClient();
    let isReadOnly = true;
    try {
      const [server] = await runStatement<{ isReadOnly: boolean }>(client, IS_READ_ONLY);
      isReadOnly = server?.isReadOnly !== false;
    } catch (error) {
      throw asFault(error);
    } finally {
      // A connection may stay read-only if it was opened when the server was: the next attempt opens another one.
      client.release(isReadOnly);
    }
    if (!isReadOnly) this.recordChange();
  }

  /** Records that the server committed a change, or would commit one. */
  recordChange(): void {
    this.#refuses.changes = false;
  }

  /** Takes a client from the pool, which the caller must release. */
  async #takeClient(): Promise<PostgresClient> {
    if (this.#closed) throw new Fault('store_unavailable', 'the database was closed');
    let client: PostgresClient | undefined;
    try {
      client = await this.#pool.connect();
      if (!primaries.has(client)) {
        await checkPrimary(client);
        this.#refuses.connections = false;
      }
      return client;
    } catch (error) {
      client?.release(true);
      // Other errors mean that it is down, or that all connections of the pool are busy.
      const isRefused = error instanceof StandbyError || isOfServer(error);
      throw isRefused ? this.#refusal('connections', error) : asFault(error);
    }
  }

  #refuseChanges(error: unknown): Fault {
    this.#isReadOnly = isReadOnly(error);
    return this.#refusal('changes', error);
  }

  #refusal(refused: DatabaseRefusal['refused'], error: unknown): Fault {
    this.#refuses[refused] = true;
    const fault = new Fault('store_unavailable', UNAVAILABLE, { cause: error });
    return markRefusal(fault, { refused, isOver: () => !this.#refuses[refused] });
  }
}

function clientOn(client: PostgresClient): Client {
  return {
    run: (statement, values) => runStatement(client, statement, values),
    isPipelined: client.pipeline === true,
  };
}

class StandbyError extends Error {}

/** Connections to a primary server, which are checked once: a connection never changes its server. */
const primaries: WeakSet<PostgresClient> = new WeakSet();

/** Throws if the server is a standby, which answers reads with old data. */
async function checkPrimary(client: PostgresClient): Promise<void> {
  ignoreBreaks(client);
  const [server] = await runStatement<{ standby: boolean }>(client, IS_STANDBY);
  if (server?.standby !== false) throw new StandbyError('the server is a standby');
  primaries.add(client);
}

const corked: WeakSet<PostgresClient> = new WeakSet();

/** Sends all statements of this tick in one packet: writing to a socket takes longer than the statement itself. */
function corkUntilNextTick(client: PostgresClient): void {
  const { connection: { stream } = {}, pipeline } = client;
  if (stream === undefined || pipeline !== true || corked.has(client)) return;
  corked.add(client);
  stream.cork();
  process.nextTick(() => {
    corked.delete(client);
    stream.uncork();
  });
}

export async function runStatement<Row>(
  client: PostgresClient,
  { name, text, timeout }: Statement,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  corkUntilNextTick(client);
  const { rows } = await client.query({
    text,
    values: [...values],
    types: TYPES,
    ...(name === undefined ? {} : { name }),
    ...(timeout === undefined ? {} : { query_timeout: timeout }),
  });
  return rows;
}
