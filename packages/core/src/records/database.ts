import type { DatabaseClock } from '../ports/database-clock.ts';
import type { Lookup } from './lookup.ts';
import type { AnyProgram, AnyQuery, Program, Query } from './program.ts';
import type { AnyTable } from './table.ts';

/** What an engine stores, and what it may be asked to run. */
export interface DatabaseSchema {
  readonly tables: readonly AnyTable[];
  /** The programs and queries that an engine in a thread of its own finds by their names. */
  readonly programs: readonly (AnyProgram | AnyQuery)[];
}

/** The state of a database, for diagnosis. */
export interface DatabaseState {
  /** The version of the database's software, such as `17.2`. */
  readonly release: string;
  /** The first damage that was found; absent without any. */
  readonly damage?: string;
  /** The version of its schema; absent before there is one. */
  readonly version?: number;
  /** Why this release cannot work with it; absent if it can. */
  readonly outdated?: string;
  /** The version of the schema that this release creates. */
  readonly newest: number;
}

/** One state of a database, whatever is written meanwhile. Close it before the database. */
export interface DatabaseSnapshot {
  /** Runs a query. Use it page by page, to read more than memory holds. */
  read<Args, Result>(query: Query<Args, Result>, args: Args, signal?: AbortSignal): Promise<Result>;
  /** Ends the snapshot: later reads fail with `store_unavailable`, and closing again does nothing. */
  close(): Promise<void>;
}

/**
 * A database: tables, and programs that run in it. Every store of Pinfold is written once over this port, in the core, and
 * an engine implements it for one database system.
 *
 * Faults: `store_unavailable` when it cannot be reached (the outcome of a write is then unknown), `store_corrupt`. What
 * else goes wrong is a mistake in a program or an engine, and a `StepError`. An aborted signal rejects with its reason.
 */
export interface Database extends DatabaseClock {
  /**
   * Whether programs run one after the other, so that a `sequence` counts in the order in which they end. If not, a
   * program may end before another one that got a lower number.
   */
  readonly isSerial: boolean;

  /** Runs a query. Each step sees everything that was answered before it began, and may see another state than the last. */
  read<Args, Result>(query: Query<Args, Result>, args: Args, signal?: AbortSignal): Promise<Result>;

  /**
   * Looks up a value, undefined if nothing is found: as new as a read. A value that is in memory is returned, and a
   * failure thrown, without a promise where the engine can: callers `await` inside `try`.
   */
  peek<Value>(
    lookup: Lookup<Value>,
    key: string,
    signal?: AbortSignal,
  ): Promise<Value | undefined> | Value | undefined;

  /** Runs a query all steps of which see one state. */
  snapshot<Args, Result>(query: Query<Args, Result>, args: Args, signal?: AbortSignal): Promise<Result>;

  /** Opens one state for any number of queries, such as an export. Writing goes on meanwhile. */
  openSnapshot(signal?: AbortSignal): Promise<DatabaseSnapshot>;

  /**
   * Runs a program: whole or not at all, after all others that hold one of its locks, exclusively on one side. Its steps
   * see what it wrote itself and what was committed, and it is flushed to the disk before the promise resolves.
   */
  write<Args, Result>(program: Program<Args, Result>, args: Args): Promise<Result>;

  /** Lets other callers have their turn, such as by a turn of the event loop. Call it between the batches of long work. */
  pause(): Promise<void>;

  /**
   * Brings the schema up to this release. Call it once before anything else; any number of nodes may at once.
   *
   * @throws Fault `store_unavailable` when the schema was migrated by a release that this one is too old for.
   */
  migrate(): Promise<void>;

  /** Examines the database, also one without a schema, and changes nothing. May read every page of it. */
  examine(): Promise<DatabaseState>;

  /** Closes the handle. Later calls fail with `store_unavailable`; closing again does nothing. */
  close(): Promise<void>;
}
