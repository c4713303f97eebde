import type { Step, Steps } from './step.ts';

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

/** The most locks of one program, which bounds what a database has to remember. */
export const MAX_LOCKS = 100;

/**
 * The locks in the order in which every program takes them, so that no two wait for each other. A lock that is wanted
 * both ways is exclusive.
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
 * A transaction by name: a generator function of plain arguments and a plain result, as structured clone takes them. So
 * an engine may run it anywhere, in a thread, too, which finds it by its name. It has no other effect, since an engine may
 * run it again from its beginning: only the last run counts.
 */
export interface Program<in Args, out Result> {
  readonly name: string;
  readonly locks: (args: Args) => Locks;
  /**
   * Whether it may use the disk space that is reserved for what frees space or ends access. An engine that reserves none
   * ignores it.
   */
  readonly usesReserve: (args: Args) => boolean;
  readonly run: (args: Args) => Steps<Result>;
}

/** Reading steps by name: as a {@link Program} that writes nothing and takes no locks. */
export interface Query<in Args, out Result> {
  readonly name: string;
  readonly run: (args: Args) => Steps<Result, 'read'>;
}

/** A program of any arguments and result. */
export type AnyProgram = Program<never, unknown>;

/** A query of any arguments and result. */
export type AnyQuery = Query<never, unknown>;

/** What a program does. */
export interface ProgramDefinition<Args, Result> {
  /** No locks when absent. */
  locks?(args: Args): Locks;
  /** False when absent. */
  usesReserve?(args: Args): boolean;
  /** The steps, or a single one. */
  run(args: Args): Steps<Result> | Step<Result>;
}

/** Defines a program under a name that no other one has, such as `names.delete`: the store, and its method. */
export function defineProgram<Args, const Result>(
  name: string,
  { locks = () => ({}), usesReserve = () => false, run }: ProgramDefinition<Args, Result>,
): Program<Args, Result> {
  return { name, locks, usesReserve, run: (args) => run(args)[Symbol.iterator]() };
}

/** Defines a query under a name that no other one has, such as `names.find`. It is the steps, or a single one. */
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
  const twice = definitions.find((definition) => named.get(definition.name) !== definition);
  throw new TypeError(`two programs have the name ${twice?.name}`);
}
