import { type AnyTable, type Column, Comparison, type Range, type Where } from '@pinfold/core/records';
import { isValue, matches, type Row } from './matching.ts';
import { comparisonsIn, RowOrder } from './row-order.ts';

/** Columns by which a table's rows are found or sorted, and the condition of the rows in it. */
interface Index {
  readonly columns: readonly string[];
  readonly where: Where<Row>;
}

/** How rows are found by an index. */
interface Path {
  readonly index: Index;
  /** The values of its first columns, perhaps several. */
  readonly prefixes: readonly (readonly unknown[])[];
  readonly isInOrder: boolean;
  readonly rank: number;
}

type Search = Pick<Range<Row, string, string>, 'order' | 'descending' | 'after'>;

/** Rows among which are all that meet conditions. */
export interface FoundRows {
  readonly rows: Iterable<readonly [key: string, row: Row]>;
  /** Whether they come in the order that was asked for, from the place on after which to begin. */
  readonly isInOrder: boolean;
}

/** The committed rows of one table by their keys, and in the orders of its keys and indexes. */
export class MemoryTable {
  readonly #rows: Map<string, Row>;
  readonly #table: AnyTable;
  readonly #indexes: readonly Index[];
  /** Made when they are first asked for. */
  readonly #orders: Map<Index, RowOrder> = new Map();

  constructor(table: AnyTable, rows: Map<string, Row> = new Map()) {
    this.#table = table;
    this.#rows = rows;
    const { key, unique, indexes } = table;
    const keys = [key, ...unique].map((columns) => ({ columns, where: {} }));
    this.#indexes = [...keys, ...indexes].map(({ columns, where = {} }) => ({ columns, where }));
  }

  get(key: string): Row | undefined {
    return this.#rows.get(key);
  }

  /** Puts a row in the place of that of its key, or removes that one where the row is undefined. */
  set(key: string, row: Row | undefined): void {
    const before = this.#rows.get(key);
    const moved = [...this.#orders].filter(
      ([index, { columns }]) =>
        isIn(index, before) !== isIn(index, row) ||
        columns.some((column) => before?.[column] !== row?.[column]),
    );
    for (const [index, order] of moved) if (isIn(index, before)) order.drop(key);
    if (row === undefined) this.#rows.delete(key);
    else this.#rows.set(key, row);
    for (const [index, order] of moved) if (isIn(index, row)) order.add(key);
  }

  /** The same rows, which change apart. */
  copy(): MemoryTable {
    return new MemoryTable(this.#table, new Map(this.#rows));
  }

  /** Finds rows by the index that is best for it, if there is one. */
  search(where: Where<Row>, search: Search = {}): FoundRows {
    const paths = this.#indexes.flatMap((index) => pathBy(index, where, search));
    const [best] = paths.filter(({ rank }) => rank > 0).sort((one, other) => other.rank - one.rank);
    if (best === undefined) return { rows: this.#rows, isInOrder: (search.order ?? []).length === 0 };
    return { rows: this.#rowsOn(best, where, search), isInOrder: best.isInOrder };
  }

  *#rowsOn(
    { index, prefixes, isInOrder }: Path,
    where: Where<Row>,
    search: Search,
  ): FoundRows['rows'] & Generator<readonly [string, Row]> {
    const { order = [], descending = false, after } = search;
    const place = isInOrder && after !== undefined ? order.map((column) => after[column]) : undefined;
    const sorted = this.#orderOf(index);
    for (const prefix of prefixes) {
      const match = where[sorted.columns[prefix.length] ?? ''];
      for (const key of sorted.between(prefix, match, descending, place)) yield [key, this.#rowOf(key)];
    }
  }

  #orderOf(index: Index): RowOrder {
    const known = this.#orders.get(index);
    if (known !== undefined) return known;
    const keys = [...this.#rows].flatMap(([key, row]) => (isIn(index, row) ? [key] : []));
    const columns = [...new Set([...index.columns, ...this.#table.key])];
    const made = new RowOrder(columns, keys, (key) => this.#rowOf(key));
    this.#orders.set(index, made);
    return made;
  }

  #rowOf(key: string): Row {
    return this.#rows.get(key) as Row;
  }
}

/** The path by an index to what meets some conditions: none unless all of that is in the index. */
function pathBy(index: Index, where: Where<Row>, { order = [] }: Search): readonly Path[] {
  const isWhole = Object.entries(index.where).every(([column, match]) => isMetBy(match, where[column]));
  if (!isWhole) return [];
  const { columns } = index;
  const given = columns.findIndex((column) => !isValue(where[column]));
  const length = given === -1 ? columns.length : given;
  const prefix = columns.slice(0, length).map((column) => where[column]);
  const next = where[columns[length] ?? ''];
  const values =
    next instanceof Comparison && next.operator === 'in' ? (next.operand as readonly unknown[]) : undefined;
  const isInOrder = values === undefined && order.every((column, n) => column === columns[length + n]);
  const rank =
    4 * (length + (values === undefined ? 0 : 1)) +
    (isInOrder && order.length > 0 ? 2 : 0) +
    (comparisonsIn(next).length > 0 || Object.keys(index.where).length > 0 ? 1 : 0);
  const prefixes = values === undefined ? [prefix] : [...new Set(values)].map((value) => [...prefix, value]);
  return [{ index, prefixes, isInOrder, rank }];
}

function isIn({ where }: Index, row: Row | undefined): boolean {
  return row !== undefined && matches(row, where);
}

/** Whether whatever meets a condition meets that of an index. */
function isMetBy(ofIndex: unknown, match: unknown): boolean {
  if (ofIndex instanceof Comparison && ofIndex.operator === 'not_null')
    return match !== undefined && match !== null;
  return JSON.stringify(ofIndex) === JSON.stringify(match);
}

/** The committed rows of all tables, which the handles on one database share. */
export class MemoryTables {
  readonly #tables: Map<string, MemoryTable> = new Map();
  #sequence = 0;

  rowsOf(table: AnyTable): MemoryTable {
    const rows = this.#tables.get(table.name) ?? new MemoryTable(table);
    this.#tables.set(table.name, rows);
    return rows;
  }

  nextInSequence(): number {
    this.#sequence += 1;
    return this.#sequence;
  }

  /** The same rows, which change apart. */
  copy(): MemoryTables {
    const copy = new MemoryTables();
    for (const [name, rows] of this.#tables) copy.#tables.set(name, rows.copy());
    copy.#sequence = this.#sequence;
    return copy;
  }
}

export function keyText({ key }: AnyTable, row: Row): string {
  return JSON.stringify(key.map((member) => row[member]));
}

/** A copy of values to store. Throws a `TypeError` for one without a column, and one that its column does not hold. */
export function storable(table: AnyTable, values: Row): Row {
  const copied = Object.entries(values).map(([member, value]) => {
    const column = table.columns[member];
    if (column === undefined || !holds(column, value)) {
      throw new TypeError(`${table.name}.${member} does not hold such a value`);
    }
    return [member, column.type === 'json' ? jsonCopy(value) : value] as const;
  });
  return Object.fromEntries(copied);
}

/** What `typeof` says of the values of a column. */
const TYPES = { text: 'string', flag: 'boolean', json: 'object' } as const;

function holds({ type, isNullable }: Column, value: unknown): boolean {
  if (value === null) return isNullable;
  return type in TYPES ? typeof value === TYPES[type as keyof typeof TYPES] : Number.isSafeInteger(value);
}

/** As a database has it: a member that is undefined is not in JSON. */
function jsonCopy(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** A copy of a row, or of some of its members, for a caller that may change it. */
export function copyOf(table: AnyTable, row: Row, members: readonly string[] = Object.keys(row)): Row {
  return Object.fromEntries(
    members.map((member) => {
      const value = row[member];
      return [member, table.columns[member]?.type === 'json' ? jsonCopy(value) : value];
    }),
  );
}
