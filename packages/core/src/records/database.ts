import type { DatabaseClock } from '../ports/clock.ts';
import type { AnyProgram, AnyQuery, Lookup, Program, Query } from './program.ts';
import type { AnyTable } from './table.ts';

/** The tables of a database, and the programs and queries that it can run. */
export interface DatabaseSchema {
  readonly tables: readonly AnyTable[];
  /** An engine in a thread of its own finds these by their names. */
  readonly programs: readonly (AnyProgram | AnyQuery)[];
}

/** The state of a database, for diagnosis. */
export interface DatabaseState {
  /** The version of the database's software, such as `17.2`. */
  readonly release: string;
  /** The first damage found; absent for none. */
  readonly damage?: string;
  /** The version of its schema; absent without one. */
  readonly version?: number;
  /** Why this release cannot work with it; absent if it can. */
  readonly outdated?: string;
  /** The version of the schema that this release creates. */
  readonly newest: number;
}

/** One state of a database, which later writes do not change. Close it before the database. */
export interface DatabaseSnapshot {
  /** Runs a query. Read page by page what is larger than memory. */
  read<Args, Result>(query: Query<Args, Result>, args: Args, signal?: AbortSignal): Promise<Result>;
  /** Ends the snapshot: later reads fail with `store_unavailable`, and closing again does nothing. */
  close(): Promise<void>;
}

/**
 * A database: tables, and programs that run in it. Every store of Pinfold is written once over this port, in the core, and
 * an engine implements it for one database system.
 *
 * Faults: `store_unavailable` when it cannot be reached (the outcome of a write is then unknown), `store_corrupt`. A
 * `StepError` is a mistake in a program or an engine. A call whose signal aborts rejects with its reason.
 */
export interface Database extends DatabaseClock {
  /**
   * Whether programs run one after the other, so that a `sequence` counts in the order of commits. If not, a program may
   * commit before another one that got a lower number.
   */
  readonly isSerial: boolean;

  /** Runs a query. Each step sees everything that was committed before it; two steps may see different states. */
  read<Args, Result>(query: Query<Args, Result>, args: Args, signal?: AbortSignal): Promise<Result>;

  /**
   * Looks up a value, as new as a read; undefined if there is none. An engine may return a value from memory, or throw,
   * without a promise, so callers `await` inside `try`.
   */
  peek<Value>(
    lookup: Lookup<Value>,
    key: string,
    signal?: AbortSignal,
  ): Promise<Value | undefined> | Value | undefined;

  /** Runs a query whose steps all see one state. */
  snapshot<Args, Result>(query: Query<Args, Result>, args: Args, signal?: AbortSignal): Promise<Result>;

  /** Opens one state for several queries, such as an export. It does not block writes. */
  openSnapshot(signal?: AbortSignal): Promise<DatabaseSnapshot>;

  /**
   * Runs a program as a transaction, after all others with a conflicting lock. Its steps see its own writes and everything
   * committed, and the promise resolves after the commit is flushed to the disk.
   */
  write<Args, Result>(program: Program<Args, Result>, args: Args): Promise<Result>;

  /** Yields to other callers, for example to the event loop. Call it between the batches of long work. */
  pause(): Promise<void>;

  /**
   * Migrates the schema to this release. Call it once before anything else; several nodes may call it at once.
   *
   * @throws Fault `store_unavailable` when the schema needs a newer release than this one.
   */
  migrate(): Promise<void>;

  /** Examines the database, even without a schema. Changes nothing; may read every page. */
  examine(): Promise<DatabaseState>;

  /** Closes the handle. Later calls fail with `store_unavailable`; closing again does nothing. */
  close(): Promise<void>;
}
