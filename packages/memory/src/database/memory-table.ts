import { type AnyTable, Comparison, type Where } from '@pinfold/core/records';
import type { Row } from './matching.ts';

type RowsByKey = Map<string, Row>;

/** The committed rows of one table by their keys, and by the first columns of its keys and indexes. */
export class MemoryTable {
  readonly #rows: RowsByKey;
  readonly #table: AnyTable;
  /** By column and value, made when they are first asked for. */
  readonly #indexes: Map<string, Map<unknown, RowsByKey>> = new Map();

  constructor(table: AnyTable, rows: RowsByKey = new Map()) {
    this.#table = table;
    this.#rows = rows;
  }

  get(key: string): Row | undefined {
    return this.#rows.get(key);
  }

  /** A changed row keeps its place, so that equal ones come in one order. */
  set(key: string, row: Row): void {
    const before = this.#rows.get(key);
    this.#rows.set(key, row);
    for (const [column, index] of this.#indexes) {
      if (before !== undefined && before[column] !== row[column]) drop(index, before[column], key);
      add(index, row[column], key, row);
    }
  }

  delete(key: string): void {
    const row = this.#rows.get(key);
    if (row === undefined) return;
    this.#rows.delete(key);
    for (const [column, index] of this.#indexes) drop(index, row[column], key);
  }

  /** The same rows, which change apart. */
  copy(): MemoryTable {
    return new MemoryTable(this.#table, new Map(this.#rows));
  }

  /** Rows among which are all that meet conditions, with their keys. */
  *candidates(where: Where<Row>): Generator<readonly [string, Row]> {
    const column = leadingColumns(this.#table).find((one) => valuesOf(where[one]) !== undefined);
    const values = column === undefined ? undefined : valuesOf(where[column]);
    if (column === undefined || values === undefined) return yield* this.#rows;
    const index = this.#indexOf(column);
    for (const value of new Set(values)) yield* index.get(value) ?? [];
  }

  #indexOf(column: string): Map<unknown, RowsByKey> {
    let index = this.#indexes.get(column);
    if (index === undefined) {
      index = new Map();
      for (const [key, row] of this.#rows) add(index, row[column], key, row);
      this.#indexes.set(column, index);
    }
    return index;
  }
}

function add(index: Map<unknown, RowsByKey>, value: unknown, key: string, row: Row): void {
  const same = index.get(value) ?? new Map<string, Row>();
  index.set(value, same.set(key, row));
}

function drop(index: Map<unknown, RowsByKey>, value: unknown, key: string): void {
  const same = index.get(value);
  same?.delete(key);
  if (same?.size === 0) index.delete(value);
}

function leadingColumns({ key, unique, indexes }: AnyTable): readonly string[] {
  const columns = [key, ...unique, ...indexes.map((index) => index.columns)];
  return columns.flatMap(([first]) => first ?? []);
}

/** The values of which a column must have one; undefined unless conditions name them. */
function valuesOf(match: unknown): readonly unknown[] | undefined {
  if (match instanceof Comparison) {
    return match.operator === 'in' ? (match.operand as readonly unknown[]) : undefined;
  }
  return match === undefined || Array.isArray(match) ? undefined : [match];
}
