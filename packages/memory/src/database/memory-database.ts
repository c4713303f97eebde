import { Fault } from '@pinfold/core';
import {
  type Database,
  type DatabaseSchema,
  type DatabaseSnapshot,
  type Lock,
  type Lookup,
  locksInOrder,
  type Program,
  type Query,
  rejectionOf,
  runAtOnce,
  runByPromises,
  type TableAction,
} from '@pinfold/core/records';
import { GuardCheck } from './guard-check.ts';
import { MemoryTables } from './memory-table.ts';
import { MemoryTransaction } from './memory-transaction.ts';

/** The number of steps after which the event loop gets a turn. */
const STEPS_IN_A_ROW = 100;

/** A database in the memory of this process. */
export interface MemoryDatabase extends Database {
  /** Opens another handle on the same data, like another node. */
  peer(): MemoryDatabase;
}

/**
 * Opens a database in memory: empty at first, gone with the last handle. It is for trials and tests, so it is as strict as
 * other databases: other programs run between any two steps, arguments and results are cloned, and a program fails if it
 * reads or writes a row without the lock that guards it.
 *
 * @example
 * import { STORE_SCHEMA } from '@pinfold/core/stores';
 * import { createMemoryDatabase } from '@pinfold/memory';
 *
 * const database = createMemoryDatabase(STORE_SCHEMA);
 * (await database.peer().examine()).version; // 1
 */
export function createMemoryDatabase(schema: DatabaseSchema): MemoryDatabase {
  return new Handle({ schema, tables: new MemoryTables(), locks: new LockTable(), steps: 0 });
}

interface Shared {
  readonly schema: DatabaseSchema;
  readonly tables: MemoryTables;
  readonly locks: LockTable;
  /** The steps since the last turn of the event loop. */
  steps: number;
}

/** Clones arguments and results, as a thread would get them, so that other values than plain ones fail. */
class Handle implements MemoryDatabase {
  readonly isSerial = false;
  readonly #shared: Shared;
  #isClosed = false;

  constructor(shared: Shared) {
    this.#shared = shared;
  }

  read<Args, Result>(query: Query<Args, Result>, args: Args, signal?: AbortSignal): Promise<Result> {
    return this.#readIn(this.#shared.tables, query, args, signal);
  }

  peek<Value>(lookup: Lookup<Value>, key: string, signal?: AbortSignal): Value | undefined {
    const { table, by, make, ...columns } = lookup;
    const { tables } = this.#open(signal);
    const row =
      table.key[0] === by
        ? tables.rowsOf(table).get(JSON.stringify([key]))
        : [...tables.rowsOf(table).search({ [by]: key })].find(([, one]) => one[by] === key)?.[1];
    if (row === undefined) return undefined;
    const found = new MemoryTransaction(tables).joinReferences(table, row, columns);
    return make(found as never);
  }

  async snapshot<Args, Result>(
    query: Query<Args, Result>,
    args: Args,
    signal?: AbortSignal,
  ): Promise<Result> {
    const transaction = new MemoryTransaction(this.#open(signal).tables);
    const own = structuredClone(args);
    await this.#turn(signal);
    // Runs in one turn of the event loop, in which nothing changes.
    try {
      const answer = (action: TableAction): unknown => transaction.answer(action, true);
      return structuredClone(runAtOnce(query.name, query.run(own), answer));
    } catch (error) {
      throw rejectionOf(error, signal);
    }
  }

  async openSnapshot(signal?: AbortSignal): Promise<DatabaseSnapshot> {
    const tables = this.#open(signal).tables.copy();
    let isOpen = true;
    return {
      read: async (query, args, readSignal) => {
        if (!isOpen) throw closed('the snapshot was closed');
        return this.#readIn(tables, query, args, readSignal);
      },
      close: async () => {
        isOpen = false;
      },
    };
  }

  async write<Args, Result>(program: Program<Args, Result>, args: Args): Promise<Result> {
    const { tables, locks } = this.#open();
    const own = structuredClone(args);
    const wanted = program.locks(own);
    const release = await locks.acquire(locksInOrder(wanted));
    try {
      const transaction = new MemoryTransaction(tables, new GuardCheck(wanted));
      const result = await this.#run(program, own, transaction);
      transaction.commit();
      return result;
    } finally {
      release();
    }
  }

  async pause(): Promise<void> {
    this.#shared.steps = 0;
    await new Promise<void>(inNextTurn);
  }

  async migrate(): Promise<void> {
    this.#open();
  }

  async check(signal?: AbortSignal): Promise<undefined> {
    this.#open(signal);
  }

  async examine() {
    this.#open();
    return { release: '1', version: 1, newest: 1 };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  peer(): MemoryDatabase {
    return new Handle(this.#shared);
  }

  async #readIn<Args, Result>(
    tables: MemoryTables,
    query: Query<Args, Result>,
    args: Args,
    signal?: AbortSignal,
  ): Promise<Result> {
    this.#open(signal);
    return this.#run(query, structuredClone(args), new MemoryTransaction(tables), signal);
  }

  /** Runs steps one after the other, even those of one `all`, and lets other programs run before each. */
  async #run<Args, Result>(
    { name, run }: Pick<Program<Args, Result>, 'name' | 'run'>,
    args: Args,
    transaction: MemoryTransaction,
    signal?: AbortSignal,
  ): Promise<Result> {
    let last: Promise<unknown> = Promise.resolve();
    const answer = (action: TableAction, isUnlocked: boolean): Promise<unknown> => {
      const answered = last.then(async () => {
        await this.#turn(signal);
        return transaction.answer(action, isUnlocked);
      });
      last = answered.catch(() => undefined);
      return answered;
    };
    try {
      return structuredClone(await runByPromises(name, run(args), answer));
    } catch (error) {
      throw rejectionOf(error, signal);
    }
  }

  async #turn(signal: AbortSignal | undefined): Promise<void> {
    this.#shared.steps += 1;
    if (this.#shared.steps >= STEPS_IN_A_ROW) await this.pause();
    signal?.throwIfAborted();
  }

  #open(signal?: AbortSignal): Shared {
    signal?.throwIfAborted();
    if (this.#isClosed) throw closed('this handle was closed');
    return this.#shared;
  }
}

function closed(why: string): Fault {
  return new Fault('store_unavailable', 'the memory is out of reach', { cause: new Error(why) });
}

/** Calls back in the next turn of the event loop. `setImmediate` is faster, but not all runtimes have it. */
function inNextTurn(resolve: () => void): void {
  if (typeof setImmediate === 'function') setImmediate(resolve);
  else setTimeout(resolve);
}

/** The programs that hold a lock or wait for it, as promises of their ends. */
interface Held {
  /** The last program that takes it exclusively. */
  exclusive: Promise<void> | undefined;
  /** The programs after that one, which share it. */
  shared: Set<Promise<void>>;
}

/** The locks of one database, which programs get in order of arrival. */
class LockTable {
  readonly #locks: Map<string, Held> = new Map();

  /** Takes locks one after the other, in the given order. Resolves to a function that releases them. */
  async acquire(locks: readonly Lock[]): Promise<() => void> {
    const { promise: end, resolve } = Promise.withResolvers<void>();
    for (const { name, isShared } of locks) {
      const held = this.#locks.get(name) ?? { exclusive: undefined, shared: new Set() };
      this.#locks.set(name, held);
      const before = isShared ? [held.exclusive] : [held.exclusive, ...held.shared];
      if (isShared) held.shared.add(end);
      else [held.exclusive, held.shared] = [end, new Set()];
      await Promise.all(before);
    }
    return () => {
      for (const { name } of locks) this.#release(name, end);
      resolve();
    };
  }

  #release(name: string, end: Promise<void>): void {
    const held = this.#locks.get(name);
    if (held?.exclusive === end) held.exclusive = undefined;
    held?.shared.delete(end);
    if (held?.exclusive === undefined && held?.shared.size === 0) this.#locks.delete(name);
  }
}
