import { Fault, isFault } from '../fault.ts';
import type { Range, Where } from './conditions.ts';
import type { AnyTable } from './table.ts';

// biome-ignore lint/suspicious/noExplicitAny: an engine reads conditions on rows of every type
type AnyWhere = Where<any>;
// biome-ignore lint/suspicious/noExplicitAny: as above
type AnyRange = Range<any, any, any>;

/** Values by the names of members. */
export type Values = Readonly<Record<string, unknown>>;

interface InTable<Kind extends string> {
  readonly kind: Kind;
  readonly table: AnyTable;
}

interface ByKey<Kind extends string> extends InTable<Kind> {
  readonly key: Values;
}

interface ByConditions<Kind extends string> extends InTable<Kind> {
  readonly where: AnyWhere;
}

/** Reads a row by its primary key, and the rows that some of its members refer to. */
export interface GetAction extends ByKey<'get'> {
  /** The columns to read; all when absent. */
  readonly select?: readonly string[] | undefined;
  /** The columns of the rows that members refer to, by member; absent for {@link get}, whose result is the row alone. */
  readonly references?: Readonly<Record<string, readonly string[]>>;
}

/** The rows of a range. */
export type FindAction = AnyRange & ByConditions<'find'>;

/** Reads the rows that pass a filter among the first `maxScanned` of a range. */
export interface ScanAction extends AnyRange, ByConditions<'scan'> {
  readonly filter: AnyWhere;
  readonly order: readonly string[];
  readonly limit: number;
  readonly maxScanned: number;
  readonly mayScanMore: boolean;
}

/** The count of rows, and the sum of a column. */
export interface AggregateAction extends ByConditions<'aggregate'> {
  readonly sum: string | undefined;
}

/** The greatest number in a column. */
export interface MaxAction extends ByConditions<'max'> {
  readonly column: string;
}

/** The different texts in a column, in ascending order. */
export interface DistinctAction extends ByConditions<'distinct'> {
  readonly column: string;
  readonly after: string | undefined;
  readonly limit: number;
}

/** Inserts a row, or replaces the one with its primary key. */
export interface InsertAction extends InTable<'insert' | 'upsert'> {
  readonly row: Values;
}

/** New values for some members of a row. */
export interface UpdateAction extends ByKey<'update'> {
  readonly changes: Values;
}

/** Removes the row with a key. */
export type RemoveAction = ByKey<'remove'>;

/** A read in one table. */
export type ReadAction = GetAction | FindAction | ScanAction | AggregateAction | MaxAction | DistinctAction;

/** A write in one table. It has no result. */
export type WriteAction = InsertAction | UpdateAction | RemoveAction;

/** A read or a write in one table. */
export type TableAction = ReadAction | WriteAction;

/** The work of an engine for a step: an action in one table, several independent steps, or nothing. */
export type Action =
  | TableAction
  | { readonly kind: 'all'; readonly steps: readonly Step<unknown>[] }
  | { readonly kind: 'nothing' };

/** Whether a step only reads. */
export type Access = 'read' | 'write';

/**
 * One request of a program to its engine: `const row = yield* get(ROLES, { id })`. A step does nothing until it is yielded;
 * `npm test` finds one that never is.
 */
export class Step<out Result, out Kind extends Access = Access> {
  readonly action: Action;
  /** Whether it runs without the locks that guard its rows. */
  readonly isUnlocked: boolean;
  /** Only for the compiler: whether it reads or writes. */
  declare readonly access?: Kind;

  constructor(action: Action, isUnlocked = false) {
    this.action = action;
    this.isUnlocked = isUnlocked;
  }

  *[Symbol.iterator](): Steps<Result, Kind> {
    try {
      return (yield this) as Result;
    } catch (error) {
      // A new error, because only the stack here has the line of the program.
      throw error instanceof StepError ? new StepError(error, error.cause) : error;
    }
  }
}

/** The steps of a program, as its generator function returns them, and their result. */
export type Steps<Result, Kind extends Access = Access> = Generator<Step<unknown, Kind>, Result, unknown>;

/** Joins independent steps: an engine sends all of them to the database at once. */
export function all<const All extends readonly Step<unknown>[]>(
  ...steps: All
): Step<ResultsTogether<All>, PartAccess<All[number]>> {
  return new Step({ kind: 'all', steps });
}

/** A step that does nothing and results in undefined, instead of one that is not needed. */
export const nothing: Step<undefined, 'read'> = new Step({ kind: 'nothing' });

type Part = Step<unknown> | Steps<unknown>;
type ResultOf<One> = One extends Iterable<unknown, infer Result, unknown> ? Result : never;
type PartAccess<One> = One extends Iterable<Step<unknown, infer Kind>, unknown, unknown> ? Kind : never;

/** The results of several parts of a program. */
type ResultsTogether<Parts extends readonly Part[]> = {
  -readonly [N in keyof Parts]: ResultOf<Parts[N]>;
};

/**
 * Runs parts of a program concurrently, and joins their simultaneous steps to one: two checks that each read something can
 * be two functions, and cost one round trip.
 */
export function* together<const Parts extends readonly Part[]>(
  ...parts: Parts
): Steps<ResultsTogether<Parts>, PartAccess<Parts[number]>> {
  const running = parts.map((part) => part[Symbol.iterator]());
  const turns = running.map((part) => part.next());
  for (;;) {
    const steps = turns.flatMap(({ done, value }) => (done === true ? [] : [value]));
    if (steps.length === 0) return turns.map(({ value }) => value) as never;
    const answers = [...(yield* new Step<readonly unknown[], never>({ kind: 'all', steps }))];
    running.forEach((part, n) => {
      if (turns[n]?.done !== true) turns[n] = part.next(answers.shift());
    });
  }
}

/** Whether a step only writes, so that its program need not wait for it. */
export function isWrite({ action }: Step<unknown, Access>): boolean {
  if (action.kind === 'all') return action.steps.length > 0 && action.steps.every(isWrite);
  return ['insert', 'upsert', 'update', 'remove'].includes(action.kind);
}

/** The place of a failed step: names of tables and columns, never a value. */
export interface StepPlace {
  /** The name of the program or query. */
  readonly program: string;
  /** The kind of step, such as `insert`. */
  readonly step: string;
  readonly table: string;
  /** The columns of its key or of its conditions. */
  readonly columns: readonly string[];
}

/**
 * The error of a failed step. Its message and members name the place, its `cause` is the error of the database, and its
 * stack has the line of the program, unless the engine delayed the step.
 *
 * @example
 * import { StepError } from '@pinfold/core/records';
 *
 * const place = { program: 'books.add', step: 'insert', table: 'books', columns: ['isbn'] };
 * new StepError(place, new Error('the disk is full')).message; // 'books.add: insert in books (isbn) failed'
 */
export class StepError extends Error implements StepPlace {
  declare readonly program: string;
  declare readonly step: string;
  declare readonly table: string;
  declare readonly columns: readonly string[];

  constructor({ program, step, table, columns }: StepPlace, cause: unknown) {
    super(`${program}: ${step} in ${table} (${columns.join(', ')}) failed`, { cause });
    Object.assign(this, { name: 'StepError', program, step, table, columns });
  }
}

/**
 * Unwraps a `StepError` before an engine rejects with it: a fault remains a fault, with the `StepError` as its cause, and the
 * reason of an aborted signal is returned as it is.
 */
export function rejectionOf(error: unknown, signal?: AbortSignal): unknown {
  if (!(error instanceof StepError)) return error;
  const { cause } = error;
  if (signal?.aborted === true && cause === signal.reason) return cause;
  if (!isFault(cause)) return error;
  return new Fault(cause.code, cause.message, { cause: new StepError(error, cause.cause) });
}
