import { isFault } from '@pinfold/core';
import { raceSignal } from '@pinfold/core/adapter';
import type { Lookup } from '@pinfold/core/records';
import type { LookupPlan, SqlCompiler, SqlRow } from '@pinfold/core/sql';
import type { PostgresConnection } from '../engine/postgres-connection.ts';
import { prepared, type Statement } from '../engine/statement.ts';

/** Requested values by key; several callers may wait for one. */
type Requests = Map<string, PromiseWithResolvers<unknown>>;

/** One lookup with its statements. */
interface PreparedLookup {
  readonly plan: LookupPlan<unknown>;
  readonly one: Statement;
  readonly several: Statement;
  /** The requests of this turn of the event loop. */
  waiting: Requests;
}

/**
 * Looks values up by their keys, with one statement for all requests of a turn of the event loop: under load there are
 * many, and a statement for each of them would take most of the time.
 */
export class PostgresLookups {
  readonly #connection: PostgresConnection;
  readonly #compiler: SqlCompiler;
  readonly #prepared: Map<Lookup<unknown>, PreparedLookup> = new Map();

  constructor(connection: PostgresConnection, compiler: SqlCompiler) {
    this.#connection = connection;
    this.#compiler = compiler;
  }

  /** Finds a value; undefined if no row has this key. Aborting the signal ends only this caller's wait. */
  find<Value>(lookup: Lookup<Value>, key: string, signal?: AbortSignal): Promise<Value | undefined> {
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    const preparedLookup = this.#prepare(lookup);
    if (preparedLookup.waiting.size === 0) {
      setImmediate(() => {
        const { waiting } = preparedLookup;
        preparedLookup.waiting = new Map();
        void this.#answer(preparedLookup, waiting);
      });
    }
    const deferred = preparedLookup.waiting.get(key) ?? Promise.withResolvers<unknown>();
    preparedLookup.waiting.set(key, deferred);
    return raceSignal(deferred.promise as Promise<Value | undefined>, signal);
  }

  async #answer(lookup: PreparedLookup, requests: Requests): Promise<void> {
    const { plan, one, several } = lookup;
    const keys = [...requests.keys()];
    const isOne = keys.length === 1;
    try {
      const rows = await this.#connection.read<SqlRow>(isOne ? one : several, isOne ? keys : [keys]);
      const found = new Map(rows.map((row) => [isOne ? keys[0] : plan.keyOf(row), row]));
      // A value that cannot be made fails only for its own callers.
      const makeValue = async (row: SqlRow | undefined): Promise<unknown> => row && plan.make(row);
      for (const [key, { resolve }] of requests) resolve(makeValue(found.get(key)));
    } catch (error) {
      // A fault, such as a lost connection, concerns all keys.
      if (isOne || isFault(error)) {
        for (const { reject } of requests.values()) reject(error);
      } else {
        // The server may refuse a single key that it cannot read. Looks up each key alone, so that only that one fails.
        for (const entry of requests) void this.#answer(lookup, new Map([entry]));
      }
    }
  }

  #prepare(lookup: Lookup<unknown>): PreparedLookup {
    const known = this.#prepared.get(lookup);
    if (known !== undefined) return known;
    const plan = this.#compiler.lookupPlanOf(lookup);
    const one = prepared(plan.text);
    const added = { plan, one, several: prepared(plan.textForKeys), waiting: new Map() };
    this.#prepared.set(lookup, added);
    return added;
  }
}
