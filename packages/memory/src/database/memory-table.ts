import type { AnyTable, Column, Where } from '@pinfold/core/records';
import { isValue, type Row } from './matching.ts';

/** The keys of rows by the value of a column. */
type Values = Map<unknown, Set<string>>;

/** The committed rows of one table by their keys, and by the values of the columns of its keys and indexes. */
export class MemoryTable {
  readonly #rows: Map<string, Row>;
  readonly #table: AnyTable;
  readonly #columns: ReadonlySet<string>;
  /** Made at the first search by a column. */
  readonly #values: Map<string, Values> = new Map();

  constructor(table: AnyTable, rows: Map<string, Row> = new Map()) {
    this.#table = table;
    this.#rows = rows;
    const { key, unique, indexes } = table;
    this.#columns = new Set([key, ...unique, ...indexes.map(({ columns }) => columns)].flat());
  }

  get(key: string): Row | undefined {
    return this.#rows.get(key);
  }

  /** Inserts or replaces the row of a key; removes it if `row` is undefined. */
  set(key: string, row: Row | undefined): void {
    const before = this.#rows.get(key);
    for (const [column, values] of this.#values) {
      if (before !== undefined) values.get(before[column])?.delete(key);
      if (row !== undefined) add(values, row[column], key);
    }
    if (row === undefined) this.#rows.delete(key);
    else this.#rows.set(key, row);
  }

  copy(): MemoryTable {
    return new MemoryTable(this.#table, new Map(this.#rows));
  }

  /** Finds candidates for conditions: the rows with the rarest of their values in indexed columns, or all rows. */
  search(where: Where<Row>): Iterable<readonly [key: string, row: Row]> {
    let rarest: ReadonlySet<string> | undefined;
    for (const [column, match] of Object.entries(where)) {
      if (!this.#columns.has(column) || !isValue(match)) continue;
      const keys = this.#valuesOf(column).get(match) ?? NONE;
      if (rarest === undefined || keys.size < rarest.size) rarest = keys;
    }
    return rarest === undefined ? this.#rows : [...rarest].map((key) => [key, this.#rows.get(key) as Row]);
  }

  #valuesOf(column: string): Values {
    const known = this.#values.get(column);
    if (known !== undefined) return known;
    const made: Values = new Map();
    for (const [key, row] of this.#rows) add(made, row[column], key);
    this.#values.set(column, made);
    return made;
  }
}

const NONE: ReadonlySet<string> = new Set();

function add(values: Values, value: unknown, key: string): void {
  const keys = values.get(value) ?? new Set<string>();
  values.set(value, keys.add(key));
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

/** Copies values to store. Throws a `TypeError` for a value without a column, or of another type than its column. */
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

/** The `typeof` of the values of a column. */
const TYPES = { text: 'string', flag: 'boolean', json: 'object' } as const;

function holds({ type, isNullable }: Column, value: unknown): boolean {
  if (value === null) return isNullable;
  return type in TYPES ? typeof value === TYPES[type as keyof typeof TYPES] : Number.isSafeInteger(value);
}

/** Copies a value by JSON, like a database: members that are undefined are lost. */
function jsonCopy(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** Copies a row, or some of its members, for a caller that may change it. */
export function copyOf(table: AnyTable, row: Row, members: readonly string[] = Object.keys(row)): Row {
  return Object.fromEntries(
    members.map((member) => {
      const value = row[member];
      return [member, table.columns[member]?.type === 'json' ? jsonCopy(value) : value];
    }),
  );
}
