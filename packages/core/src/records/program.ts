import type { Step, Steps } from './step.ts';
import type { Joined, ReferenceSelection } from './steps.ts';
import type { AnyTable, NameOf, RowOf } from './table.ts';

/** The locks of a program. It waits for them before its first step, and holds them until it has ended. */
export interface Locks {
  readonly exclusive?: readonly string[];
  readonly shared?: readonly string[];
}

/** One lock of a program. */
export interface Lock {
  readonly name: string;
  readonly isShared: boolean;
}

/** The maximum number of locks of one program, to bound the lock table of a database. */
export const MAX_LOCKS = 100;

/**
 * Sorts locks: every program takes them in the same order, so that there is no deadlock. A lock that is both shared and
 * exclusive is exclusive.
 *
 * @throws RangeError for more than {@link MAX_LOCKS}.
 */
export function locksInOrder({ exclusive = [], shared = [] }: Locks): readonly Lock[] {
  const byName = new Map<string, Lock>();
  for (const name of shared) byName.set(name, { name, isShared: true });
  for (const name of exclusive) byName.set(name, { name, isShared: false });
  if (byName.size > MAX_LOCKS) throw new RangeError(`a program takes at most ${MAX_LOCKS} locks`);
  return [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/**
 * A named transaction: a generator function whose arguments and result are structured-cloneable, so that an engine may run
 * it in a thread, which finds it by its name. It has no other side effects, since an engine may retry it from the beginning.
 */
export interface Program<in Args, out Result> {
  readonly name: string;
  readonly locks: (args: Args) => Locks;
  /**
   * Whether it may use the disk space that an engine reserves for programs that free space or end access.
   */
  readonly usesReserve: (args: Args) => boolean;
  readonly run: (args: Args) => Steps<Result>;
}

/** Like a {@link Program}, but only reads, without locks. */
export interface Query<in Args, out Result> {
  readonly name: string;
  readonly run: (args: Args) => Steps<Result, 'read'>;
}

/** A program with any arguments and result. */
export type AnyProgram = Program<never, unknown>;

/** A query with any arguments and result. */
export type AnyQuery = Query<never, unknown>;

export interface ProgramDefinition<Args, Result> {
  /** No locks when absent. */
  locks?(args: Args): Locks;
  /** False when absent. */
  usesReserve?(args: Args): boolean;
  /** The steps, or a single one. */
  run(args: Args): Steps<Result> | Step<Result>;
}

/** Defines a program under a unique name of its store and method, such as `names.delete`. */
export function defineProgram<Args, const Result>(
  name: string,
  { locks = () => ({}), usesReserve = () => false, run }: ProgramDefinition<Args, Result>,
): Program<Args, Result> {
  return { name, locks, usesReserve, run: (args) => run(args)[Symbol.iterator]() };
}

/** Defines a query under a unique name, such as `names.find`, from its steps or a single one. */
export function defineQuery<Args, const Result>(
  name: string,
  run: (args: Args) => Steps<Result, 'read'> | Step<Result, 'read'>,
): Query<Args, Result> {
  return { name, run: (args) => run(args)[Symbol.iterator]() };
}

/**
 * Programs or queries by their names.
 *
 * @throws TypeError when two have the same name.
 */
export function byName<One extends { readonly name: string }>(
  definitions: readonly One[],
): ReadonlyMap<string, One> {
  const named = new Map(definitions.map((definition) => [definition.name, definition]));
  if (named.size === definitions.length) return named;
  const duplicate = definitions.find((definition) => named.get(definition.name) !== definition);
  throw new TypeError(`two programs have the name ${duplicate?.name}`);
}

/**
 * Reads a value by one key, for very frequent reads. Declare it once: an engine may cache its values, and may read the keys
 * of several callers in one statement.
 */
export interface Lookup<out Value> {
  readonly name: string;
  readonly table: AnyTable;
  /** The member with the key: a text, and the primary key or a unique one. */
  readonly by: string;
  /** The columns to read. */
  readonly select: readonly string[];
  /** The columns to read of referenced rows, by the members that refer to them. */
  readonly references: Readonly<Record<string, readonly string[]>>;
  /** Makes the value. Several callers may get the same object, so a store copies it before it answers. */
  readonly make: (found: never) => Value;
}

/** Defines a {@link Lookup} under a unique name. */
export function defineLookup<
  Table extends AnyTable,
  const References extends ReferenceSelection<Table>,
  Selected extends NameOf<RowOf<Table>>,
  Value,
>(
  name: string,
  definition: {
    readonly table: Table;
    readonly by: NameOf<RowOf<Table>>;
    readonly select: readonly Selected[];
    readonly references: References;
    make(found: Joined<Table, References, Selected>): Value;
  },
): Lookup<Value> {
  return { name, ...definition } as unknown as Lookup<Value>;
}
