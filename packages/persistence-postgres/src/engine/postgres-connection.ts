import type { Writable } from 'node:stream';
import { type Clock, duration, Fault } from '@pinfold/core';
import { raceSignal } from '@pinfold/core/adapter';
import { asFault, kindOf } from './postgres-errors.ts';
import { ROLLBACK, type Statement, TYPES, unprepared } from './statement.ts';

/** The part of `pg`'s client that stores use. It runs queries in order; `release(true)` ends the connection. */
export interface PostgresClient {
  // biome-ignore lint/suspicious/noExplicitAny: a row is what its statement says, which no type can tell
  query(query: any): Promise<{ readonly rows: any[] }>;
  release(destroy?: boolean): void;
  /** Whether it sends a query before the one before has been answered, as the pool's configuration says. */
  readonly pipeline?: boolean;
  /** Its socket, as `pg` has it. Without one, each statement is sent by itself. */
  readonly connection?: { readonly stream?: Pick<Writable, 'cork' | 'uncork'> };
  /** A connection that breaks between two queries emits this. Without a listener, it would end the process. */
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** The part of `pg`'s pool that stores use, as a structural type: any version or wrapper of it fits. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>;
  /** `error`: a connection broke while it was idle. `connect`: one was made, and may break before {@link connect} resolves. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'connect', listener: (client: PostgresClient) => void): unknown;
  off(event: 'error', listener: (error: Error) => void): unknown;
  off(event: 'connect', listener: (client: PostgresClient) => void): unknown;
}

/** The total time for which serialization failures and deadlocks are retried. */
const PATIENCE = 5_000;
const MAX_WAIT = 64;
/** How many broken connections one call tolerates: after a restart a pool may hold several. */
const MAX_BROKEN = 3;

const BEGIN_SNAPSHOT = unprepared(`
  BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
  SET LOCAL idle_in_transaction_session_timeout = 0;
  SELECT 1`);

const IS_STANDBY = unprepared('SELECT pg_catalog.pg_is_in_recovery() AS standby');

/** A connection that works, with how it runs statements. */
export interface Client {
  readonly run: <Row = unknown>(statement: Statement, values?: readonly unknown[]) => Promise<readonly Row[]>;
  /** Whether a statement may be sent before the one before has been answered. */
  readonly isPipelined: boolean;
}

const ignore = (): void => {};
const survived: WeakSet<PostgresClient> = new WeakSet();

/** A connection that breaks fails its queries, or the next one. Without a listener, it would end the process as well. */
export function survive(client: PostgresClient): void {
  if (!survived.has(client)) client.on('error', ignore);
  survived.add(client);
}

/** Runs the stores' statements on a pool. Retries what certainly had no effect; else fails with `store_unavailable`. */
export class PostgresConnection {
  readonly #pool: PostgresPool;
  readonly #sleep: Clock['sleep'];
  #closed = false;

  constructor(pool: PostgresPool, sleep: Clock['sleep']) {
    this.#pool = pool;
    this.#sleep = sleep;
    pool.on('error', ignore);
    pool.on('connect', survive);
  }

  close(): void {
    this.#pool.off('error', ignore);
    this.#pool.off('connect', survive);
    this.#closed = true;
  }

  /** Runs a statement that changes nothing. After an abort its result is dropped. */
  read<Row>(statement: Statement, values: readonly unknown[], signal?: AbortSignal): Promise<readonly Row[]> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const rows = this.pipelined(async ({ run }) => {
      const found = await run<Row>(statement, values);
      return async () => found;
    });
    return raceSignal(rows, signal);
  }

  /**
   * Runs statements up to a commit, and then what it results in, which commits. Before that they certainly change nothing,
   * even if the connection breaks, since the server then rolls them back: they may run again from the first.
   */
  async pipelined<Result>(work: (client: Client) => Promise<() => Promise<Result>>): Promise<Result> {
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
        if (!isUndone || broken > MAX_BROKEN || waited + wait > PATIENCE) throw asFault(error);
      } finally {
        pooled.release(isBroken);
      }
      await this.#sleep(duration(wait));
      waited += wait;
    }
  }

  /** Opens one read-only state on a connection of its own, which is given back when it is closed. */
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

  /** Takes a client from the pool, which the caller releases. */
  async #takeClient(): Promise<PostgresClient> {
    if (this.#closed) throw new Fault('store_unavailable', 'the database was closed');
    let client: PostgresClient | undefined;
    try {
      client = await this.#pool.connect();
      await provePrimary(client);
      return client;
    } catch (error) {
      client?.release(true);
      throw asFault(error);
    }
  }
}

function clientOn(client: PostgresClient): Client {
  return {
    run: (statement, values) => ask(client, statement, values),
    isPipelined: client.pipeline === true,
  };
}

/** Connections to a primary server, by any handle on their pool: a connection never changes its server. */
const primaries: WeakSet<PostgresClient> = new WeakSet();

/** A standby answers reads with old data. */
async function provePrimary(client: PostgresClient): Promise<void> {
  if (primaries.has(client)) return;
  survive(client);
  const [server] = await ask<{ standby: boolean }>(client, IS_STANDBY);
  if (server?.standby !== false) throw new Error('the server is a standby');
  primaries.add(client);
}

const gathering: WeakSet<PostgresClient> = new WeakSet();

/** Lets what is sent in this turn go in one packet: each write of a socket costs more than the statement in it. */
function gather(client: PostgresClient): void {
  const { connection: { stream } = {}, pipeline } = client;
  if (stream === undefined || pipeline !== true || gathering.has(client)) return;
  gathering.add(client);
  stream.cork();
  process.nextTick(() => {
    gathering.delete(client);
    stream.uncork();
  });
}

/** Runs a statement on a client. */
export async function ask<Row>(
  client: PostgresClient,
  { name, text, timeout }: Statement,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  gather(client);
  const { rows } = await client.query({
    text,
    values: [...values],
    types: TYPES,
    ...(name === undefined ? {} : { name }),
    ...(timeout === undefined ? {} : { query_timeout: timeout }),
  });
  return rows;
}
