import type { Range, Where } from './conditions.ts';
import { type Access, type Action, Step, type Values } from './step.ts';
import type {
  AnyTable,
  ChangesOf,
  KeyOf,
  NameOf,
  NewRowOf,
  RecordTable,
  ReferencesOf,
  RowOf,
} from './table.ts';

/** The columns that are read of the rows to which members refer. Keep it in a constant, as a `select`. */
export type ReferenceSelection<Table extends AnyTable> = {
  readonly [Name in keyof ReferencesOf<Table>]?: readonly NameOf<ReferencesOf<Table>[Name]>[];
};

/** A row with those that some of its members refer to; undefined where there is none. */
export interface Joined<
  Table extends AnyTable,
  References extends ReferenceSelection<Table>,
  Selected extends NameOf<RowOf<Table>> = NameOf<RowOf<Table>>,
> {
  readonly row: Pick<RowOf<Table>, Selected>;
  readonly references: {
    readonly [Name in keyof References & keyof ReferencesOf<Table>]:
      | Pick<ReferencesOf<Table>[Name], NamesIn<References[Name]> & keyof ReferencesOf<Table>[Name]>
      | undefined;
  };
}

type NamesIn<Names> = Names extends readonly (infer Name)[] ? Name : never;

/** Reads a row by its primary key; undefined if there is none. Without a selection all of its columns are read. */
export function get<Table extends AnyTable, Selected extends NameOf<RowOf<Table>> = NameOf<RowOf<Table>>>(
  table: Table,
  key: KeyOf<Table>,
  select?: readonly Selected[],
): Step<Pick<RowOf<Table>, Selected> | undefined, 'read'> {
  return new Step({ kind: 'get', table, key: key as Values, select });
}

/** Reads a row by its primary key with the rows that some of its members refer to, all as they are at one instant. */
export function getWith<
  Table extends AnyTable,
  const References extends ReferenceSelection<Table>,
  Selected extends NameOf<RowOf<Table>> = NameOf<RowOf<Table>>,
>(
  table: Table,
  key: KeyOf<Table>,
  references: References,
  select?: readonly Selected[],
): Step<Joined<Table, References, Selected> | undefined, 'read'> {
  return new Step({ kind: 'get', table, key: key as Values, references, select } as Action);
}

/** Reads the rows of a range. Without an order they come in any. */
export function find<
  Table extends AnyTable,
  Order extends NameOf<RowOf<Table>> = never,
  Selected extends NameOf<RowOf<Table>> = NameOf<RowOf<Table>>,
>(
  table: Table,
  where: Where<RowOf<Table>>,
  range?: Range<RowOf<Table>, Order, Selected>,
): Step<readonly Pick<RowOf<Table>, Selected>[], 'read'> {
  return new Step({ kind: 'find', table, where, ...range } as Action);
}

/** How a {@link scan} goes through a range. */
export interface ScanRange<Row, Order extends keyof Row, Selected extends keyof Row>
  extends Range<Row, Order, Selected> {
  readonly order: readonly Order[];
  readonly limit: number;
  /** The number of rows after which the scan stops. */
  readonly maxScanned: number;
  /** Whether an engine may scan more rows, where that keeps no other caller waiting. */
  readonly mayScanMore: boolean;
}

/** The rows that passed a filter. */
export interface Scanned<Row, Order extends keyof Row, Selected extends keyof Row> {
  readonly rows: readonly Pick<Row, Selected>[];
  /** The place of the last row that was scanned; undefined if the range ended before, or the limit was reached. */
  readonly scannedTo: Pick<Row, Order> | undefined;
}

/** Scans a range for rows that pass a filter, up to a number of rows: for a search whose pages may be short. */
export function scan<
  Table extends AnyTable,
  Order extends NameOf<RowOf<Table>>,
  Selected extends NameOf<RowOf<Table>> = NameOf<RowOf<Table>>,
>(
  table: Table,
  where: Where<RowOf<Table>>,
  filter: Where<RowOf<Table>>,
  range: ScanRange<RowOf<Table>, Order, Selected>,
): Step<Scanned<RowOf<Table>, Order, Selected>, 'read'> {
  return new Step({ kind: 'scan', table, where, filter, ...range } as Action);
}

/** A count of rows, and the sum of a column. */
export interface Totals {
  readonly count: number;
  /** 0 without a column to sum up. Null adds nothing. */
  readonly sum: number;
}

/** Counts rows, and sums up a column of theirs if one is named. */
export function aggregate<Table extends AnyTable>(
  table: Table,
  where: Where<RowOf<Table>>,
  sum?: NameOf<RowOf<Table>>,
): Step<Totals, 'read'> {
  return new Step({ kind: 'aggregate', table, where, sum });
}

/** Reads the greatest number in a column; 0 without a row that has one. */
export function max<Table extends AnyTable>(
  table: Table,
  where: Where<RowOf<Table>>,
  column: NameOf<RowOf<Table>>,
): Step<number, 'read'> {
  return new Step({ kind: 'max', table, where, column });
}

/** Reads the different texts in a column, in ascending order and without null. */
export function distinct<Table extends AnyTable, Member extends NameOf<RowOf<Table>>>(
  table: Table,
  where: Where<RowOf<Table>>,
  column: Member,
  range: { readonly after?: NonNullable<RowOf<Table>[Member]> | undefined; readonly limit: number },
): Step<readonly NonNullable<RowOf<Table>[Member]>[], 'read'> {
  return new Step({ kind: 'distinct', table, where, column, ...range } as Action);
}

/** Inserts a row. A key that is taken fails the program, which therefore makes sure that it is free. */
export function insert<Table extends AnyTable>(table: Table, row: NewRowOf<Table>): Step<void, 'write'> {
  return new Step({ kind: 'insert', table, row: row as Values });
}

/** Inserts a row, or replaces that of the same primary key; another key that is taken fails the program. A table with a sequence has no such step. */
export function upsert<Row extends object, Key extends keyof Row, References extends object>(
  table: RecordTable<Row, Key, References, never>,
  row: NoInfer<Row>,
): Step<void, 'write'> {
  return new Step({ kind: 'upsert', table, row: row as Values });
}

/** Changes some members of a row, and none of its primary key. Without such a row nothing happens. */
export function update<Table extends AnyTable>(
  table: Table,
  key: KeyOf<Table>,
  changes: ChangesOf<Table>,
): Step<void, 'write'> {
  return new Step({ kind: 'update', table, key: key as Values, changes: changes as Values });
}

/** Removes a row. Without such a row nothing happens. */
export function remove<Table extends AnyTable>(table: Table, key: KeyOf<Table>): Step<void, 'write'> {
  return new Step({ kind: 'remove', table, key: key as Values });
}

/**
 * The same step without the locks that guard its rows: what it reads may be out of date before the program ends, so the
 * program decides nothing by it, or decides again later under the lock. Each use says why.
 */
export function unlocked<Result, Kind extends Access>({ action }: Step<Result, Kind>): Step<Result, Kind> {
  return new Step(action, true);
}
