import { isFault } from '@pinfold/core';
import { raceSignal } from '@pinfold/core/adapter';
import type { Lookup } from '@pinfold/core/records';
import type { LookupPlan, SqlCompiler, SqlRow } from '@pinfold/core/sql';
import type { PostgresConnection } from '../engine/postgres-connection.ts';
import { prepared, type Statement } from '../engine/statement.ts';

/** One lookup with its statements. */
interface Prepared {
  readonly plan: LookupPlan<unknown>;
  readonly one: Statement;
  readonly several: Statement;
  /** Who waits for the end of this turn. */
  waiting: Caller[];
}

interface Caller {
  readonly key: string;
  readonly signal: AbortSignal | undefined;
  resolve(value: unknown): void;
  reject(error: unknown): void;
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
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const known = this.#preparedOf(lookup);
    known.waiting.push({ key, signal, resolve, reject });
    if (known.waiting.length === 1) setImmediate(() => this.#send(known));
    return raceSignal(promise as Promise<Value | undefined>, signal);
  }

  #send(known: Prepared): void {
    const callers = known.waiting.filter(({ signal }) => signal?.aborted !== true);
    known.waiting = [];
    if (callers.length > 0)
      void this.#answer(
        known,
        Map.groupBy(callers, ({ key }) => key),
      );
  }

  async #answer(known: Prepared, byKey: ReadonlyMap<string, readonly Caller[]>): Promise<void> {
    const { plan, one, several } = known;
    const keys = [...byKey.keys()];
    const isOne = keys.length === 1;
    try {
      const rows = await this.#connection.read<SqlRow>(isOne ? one : several, isOne ? keys : [keys]);
      const found = new Map(rows.map((row) => [isOne ? keys[0] : plan.keyOf(row), row]));
      for (const [key, callers] of byKey) answer(plan, found.get(key), callers);
    } catch (error) {
      if (isOne || isFault(error)) {
        for (const { reject } of [...byKey.values()].flat()) reject(error);
      } else {
        // The server refuses a key that it cannot read, which is the failure of its callers alone.
        for (const entry of byKey) void this.#answer(known, new Map([entry]));
      }
    }
  }

  #preparedOf(lookup: Lookup<unknown>): Prepared {
    const known = this.#prepared.get(lookup);
    if (known !== undefined) return known;
    const plan = this.#compiler.lookupPlanOf(lookup);
    const made = { plan, one: prepared(plan.text), several: prepared(plan.textForKeys), waiting: [] };
    this.#prepared.set(lookup, made);
    return made;
  }
}

/** Makes the value of a row for its callers, who share it. */
function answer(plan: LookupPlan<unknown>, row: SqlRow | undefined, callers: readonly Caller[]): void {
  try {
    const value = row && plan.make(row);
    for (const { resolve } of callers) resolve(value);
  } catch (error) {
    for (const { reject } of callers) reject(error);
  }
}
