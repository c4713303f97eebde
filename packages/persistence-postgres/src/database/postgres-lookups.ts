import { isFault } from '@pinfold/core';
import { raceSignal } from '@pinfold/core/adapter';
import type { Lookup } from '@pinfold/core/records';
import type { LookupPlan, SqlCompiler, SqlRow } from '@pinfold/core/sql';
import type { PostgresConnection } from '../engine/postgres-connection.ts';
import { prepared, type Statement } from '../engine/statement.ts';

/** What is asked for by key, of any number of callers. */
type Asked = Map<string, PromiseWithResolvers<unknown>>;

/** One lookup with its statements. */
interface Prepared {
  readonly plan: LookupPlan<unknown>;
  readonly one: Statement;
  readonly several: Statement;
  /** What waits for the end of this turn. */
  waiting: Asked;
}

/**
 * Looks values up by their keys. What one turn of the event loop asks for goes in one statement at its end: under load a
 * server has many requests in a turn, and a statement for each of them would take most of its time.
 */
export class PostgresLookups {
  readonly #connection: PostgresConnection;
  readonly #compiler: SqlCompiler;
  readonly #prepared: Map<Lookup<unknown>, Prepared> = new Map();

  constructor(connection: PostgresConnection, compiler: SqlCompiler) {
    this.#connection = connection;
    this.#compiler = compiler;
  }

  /** Finds a value; undefined without its row. An aborted signal ends the wait of this caller alone. */
  find<Value>(lookup: Lookup<Value>, key: string, signal?: AbortSignal): Promise<Value | undefined> {
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    const known = this.#preparedOf(lookup);
    if (known.waiting.size === 0) {
      setImmediate(() => {
        const { waiting } = known;
        known.waiting = new Map();
        void this.#answer(known, waiting);
      });
    }
    const asked = known.waiting.get(key) ?? Promise.withResolvers<unknown>();
    known.waiting.set(key, asked);
    return raceSignal(asked.promise as Promise<Value | undefined>, signal);
  }

  async #answer(known: Prepared, asked: Asked): Promise<void> {
    const { plan, one, several } = known;
    const keys = [...asked.keys()];
    const isOne = keys.length === 1;
    try {
      const rows = await this.#connection.read<SqlRow>(isOne ? one : several, isOne ? keys : [keys]);
      const found = new Map(rows.map((row) => [isOne ? keys[0] : plan.keyOf(row), row]));
      // The callers share the value, and its failure is theirs alone.
      const made = async (row: SqlRow | undefined): Promise<unknown> => row && plan.make(row);
      for (const [key, { resolve }] of asked) resolve(made(found.get(key)));
    } catch (error) {
      if (isOne || isFault(error)) {
        for (const { reject } of asked.values()) reject(error);
      } else {
        // The server refuses a key that it cannot read, which is the failure of its callers alone.
        for (const entry of asked) void this.#answer(known, new Map([entry]));
      }
    }
  }

  #preparedOf(lookup: Lookup<unknown>): Prepared {
    const known = this.#prepared.get(lookup);
    if (known !== undefined) return known;
    const plan = this.#compiler.lookupPlanOf(lookup);
    const made = { plan, one: prepared(plan.text), several: prepared(plan.textForKeys), waiting: new Map() };
    this.#prepared.set(lookup, made);
    return made;
  }
}
