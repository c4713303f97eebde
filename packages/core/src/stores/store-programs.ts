import { Fault } from '../fault.ts';
import type { Database } from '../records/database.ts';
import {
  type AnyProgram,
  type AnyQuery,
  defineProgram,
  defineQuery,
  MAX_LOCKS,
  type Program,
  type ProgramDefinition,
  type Query,
} from '../records/program.ts';
import { type Access, all, Step, type Steps } from '../records/step.ts';
import { get } from '../records/steps.ts';
import type { RowOf } from '../records/table.ts';
import { IMPORT_LOCK } from '../records/tables/locks.ts';
import { UNFINISHED_IMPORTS } from '../records/tables/service-tables.ts';

/** The maximum number of locks that a program takes for rows; the rest is for all other purposes. */
export const ROW_LOCKS: number = MAX_LOCKS - 10;

/** The result of a program that needs more locks. It has changed nothing, and must run again with these. */
export interface MoreLocks {
  readonly kind: 'more_locks';
  readonly locks: readonly string[];
}

/** Returns the locks to run again with; undefined if all that are wanted are held. */
export function moreLocks(wanted: readonly string[], held: readonly string[]): MoreLocks | undefined {
  const missing = wanted.filter((lock) => !held.includes(lock));
  return missing.length === 0 ? undefined : { kind: 'more_locks', locks: [...held, ...missing] };
}

/** Runs a program again and again with more locks: some locks depend on rows that it reads under the first ones. */
export async function tryWithLocks<Result extends { readonly kind: string }>(
  attempt: (more: readonly string[]) => Promise<Result>,
): Promise<Exclude<Result, MoreLocks>> {
  let more: readonly string[] = [];
  for (;;) {
    const result: Result | MoreLocks = await attempt(more);
    if (!isMoreLocks(result)) return result as Exclude<Result, MoreLocks>;
    more = result.locks;
  }
}

function isMoreLocks(result: { readonly kind: string }): result is MoreLocks {
  return result.kind === 'more_locks';
}

export const getImportMark: Step<RowOf<typeof UNFINISHED_IMPORTS> | undefined, 'read'> = get(
  UNFINISHED_IMPORTS,
  { id: 1 },
);

/** The maximum number of rows that one program removes. Each has up to two locks. */
const BATCH = ROW_LOCKS / 2;

type ChangeDefinition<Args, Result> = ProgramDefinition<Args, Result> &
  Required<Pick<ProgramDefinition<Args, Result>, 'locks'>>;

/** How to remove rows up to a bound, such as the instant by which they ended. */
interface RemovalDefinition<Bound, Place> {
  /** Finds rows to remove, at most `limit`. */
  find(bound: Bound, limit: number): Steps<readonly Place[], 'read'> | Step<readonly Place[], 'read'>;
  /** The locks to remove one row. */
  locks(place: Place): readonly string[];
  /** Reads the rows again under their locks, and removes those that still qualify. Returns how many. */
  remove(places: readonly Place[], bound: Bound): Steps<number>;
}

/** The programs of all stores, each added when it is defined. An engine finds them by their names. */
export const STORE_PROGRAMS: (AnyProgram | AnyQuery)[] = [];

function add<One extends AnyProgram | AnyQuery>(one: One): One {
  STORE_PROGRAMS.push(one);
  return one;
}

/** Defines a query. */
export function addQuery<Args, const Result>(
  name: string,
  run: (args: Args) => Steps<Result, 'read'> | Step<Result, 'read'>,
): Query<Args, Result> {
  return add(defineQuery(name, run));
}

/** Defines a query that a change runs before it takes locks. It also fails while an import is unfinished. */
export function addChangeQuery<Args, const Result>(
  name: string,
  run: (args: Args) => Steps<Result, 'read'> | Step<Result, 'read'>,
): Query<Args, Result> {
  return addQuery(name, (args: Args) => failWhileImporting(run(args)));
}

/** Defines a program that also runs while an import is unfinished. */
export function addProgram<Args, const Result>(
  name: string,
  definition: ProgramDefinition<Args, Result>,
): Program<Args, Result> {
  return add(defineProgram(name, definition));
}

/**
 * Defines a program that fails while an import is unfinished. All programs that write are defined so, except those of the
 * import itself and those that count password tries, whose tables no import touches.
 */
export function addChange<Args, const Result>(
  name: string,
  { locks, usesReserve = () => false, run }: ChangeDefinition<Args, Result>,
): Program<Args, Result> {
  return addProgram(name, {
    locks: (args: Args) => {
      const wanted = locks(args);
      return { ...wanted, shared: [...(wanted.shared ?? []), IMPORT_LOCK] };
    },
    usesReserve,
    run: (args) => failWhileImporting(run(args)),
  });
}

/**
 * Defines the removal of rows in batches, since a program has a limited number of locks.
 *
 * @returns a function that removes at most `limit` rows and returns how many: fewer only if none is left.
 */
export function addRemoval<Bound, Place>(
  name: string,
  { find, locks, remove }: RemovalDefinition<Bound, Place>,
): (database: Database, bound: Bound, limit: number) => Promise<number> {
  const finding = addChangeQuery(
    `${name}_find`,
    ({ bound, limit }: { readonly bound: Bound; readonly limit: number }) => find(bound, limit),
  );
  const removing = addChange(name, {
    locks: ({ places }: { readonly places: readonly Place[]; readonly bound: Bound }) => {
      return { exclusive: places.flatMap(locks) };
    },
    usesReserve: () => true,
    run: ({ places, bound }) => remove(places, bound),
  });
  return async (database, bound, limit) => {
    for (let removed = 0; ; await database.pause()) {
      const batch = Math.min(limit - removed, BATCH);
      // Reads even for a limit of 0, so that an unavailable database is a fault.
      const places = await database.read(finding, { bound, limit: batch });
      if (places.length > 0) removed += await database.write(removing, { places, bound });
      if (places.length < batch || removed >= limit) return removed;
    }
  };
}

/** Fails while an import is unfinished. Reads its mark together with the first step, which saves a round trip. */
function* failWhileImporting<Result, Kind extends Access>(
  run: Steps<Result, Kind> | Step<Result, Kind>,
): Steps<Result, Kind | 'read'> {
  const steps = run instanceof Step ? run[Symbol.iterator]() : run;
  let next = steps.next();
  let isChecked = false;
  while (next.done !== true) {
    let answer: unknown;
    try {
      answer = isChecked ? yield next.value : yield* answerWithCheck(next.value);
    } catch (error) {
      next = steps.throw(error);
      continue;
    }
    isChecked = true;
    next = steps.next(answer);
  }
  return next.value;
}

function* answerWithCheck<Kind extends Access>(first: Step<unknown, Kind>): Steps<unknown, Kind | 'read'> {
  const [mark, answer] = yield* all(getImportMark, first);
  if (mark === undefined) return answer;
  throw new Fault('store_unavailable', 'an import into this database is incomplete');
}
