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

/** The columns to read of the rows that members refer to. Keep it in a constant, like a `select`. */
export type ReferenceSelection<Table extends AnyTable> = {
  readonly [Name in keyof ReferencesOf<Table>]?: readonly NameOf<ReferencesOf<Table>[Name]>[];
};

/** A row with the rows that some of its members refer to; undefined if one does not exist. */
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

/** Reads a row by its primary key; undefined if there is none. Reads all columns unless `select` is given. */
export function get<Table extends AnyTable, Selected extends NameOf<RowOf<Table>> = NameOf<RowOf<Table>>>(
  table: Table,
  key: KeyOf<Table>,
  select?: readonly Selected[],
): Step<Pick<RowOf<Table>, Selected> | undefined, 'read'> {
  return new Step({ kind: 'get', table, key: key as Values, select });
}

/** Reads a row by its primary key, with the rows that some of its members refer to, all in one state. */
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

/** Reads the rows of a range, in any order unless one is given. */
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

/** The range and the bounds of a {@link scan}. */
export interface ScanRange<Row, Order extends keyof Row, Selected extends keyof Row>
  extends Range<Row, Order, Selected> {
  readonly order: readonly Order[];
  readonly limit: number;
  /** The number of rows after which the scan stops. */
  readonly maxScanned: number;
  /** Whether an engine may scan more rows if that does not delay other callers. */
  readonly mayScanMore: boolean;
}

/** The rows that passed a filter. */
export interface Scanned<Row, Order extends keyof Row, Selected extends keyof Row> {
  readonly rows: readonly Pick<Row, Selected>[];
  /** The place of the last scanned row if the scan stopped at `maxScanned`; else undefined. */
  readonly scannedTo: Pick<Row, Order> | undefined;
}

/** Finds rows that pass a filter among a bounded number of a range: for a search, whose pages may be short. */
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
  /** The sum of the column, without nulls; 0 without a column. */
  readonly sum: number;
}

/** Counts rows, and sums up a column if one is named. */
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

/** Inserts a row. The program fails if its key exists, so check that first. */
export function insert<Table extends AnyTable>(table: Table, row: NewRowOf<Table>): Step<void, 'write'> {
  return new Step({ kind: 'insert', table, row: row as Values });
}

/** Inserts a row, or replaces the one with its primary key. Fails if another unique key exists. Not for tables with a sequence. */
export function upsert<Row extends object, Key extends keyof Row, References extends object>(
  table: RecordTable<Row, Key, References, never>,
  row: NoInfer<Row>,
): Step<void, 'write'> {
  return new Step({ kind: 'upsert', table, row: row as Values });
}

/** Changes members of a row outside its primary key. Does nothing if there is no such row. */
export function update<Table extends AnyTable>(
  table: Table,
  key: KeyOf<Table>,
  changes: ChangesOf<Table>,
): Step<void, 'write'> {
  return new Step({ kind: 'update', table, key: key as Values, changes: changes as Values });
}

/** Removes a row. Does nothing if there is no such row. */
export function remove<Table extends AnyTable>(table: Table, key: KeyOf<Table>): Step<void, 'write'> {
  return new Step({ kind: 'remove', table, key: key as Values });
}

/**
 * Makes a step run without the locks that guard its rows. The rows may change before the program ends, so the program
 * decides nothing by them, or decides again later under the lock. Each use explains why.
 */
export function unlocked<Result, Kind extends Access>({ action }: Step<Result, Kind>): Step<Result, Kind> {
  return new Step(action, true);
}
