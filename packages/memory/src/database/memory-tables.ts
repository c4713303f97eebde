import type { AnyTable, Column } from '@pinfold/core/records';
import type { Row } from './matching.ts';
import { MemoryTable } from './memory-table.ts';

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

/**
 * A copy of values to store.
 *
 * @throws TypeError for a member without a column, and for a value that its column does not hold.
 */
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

function holds({ type, isNullable }: Column, value: unknown): boolean {
  if (value === null) return isNullable;
  switch (type) {
    case 'text':
      return typeof value === 'string';
    case 'flag':
      return typeof value === 'boolean';
    case 'json':
      return typeof value === 'object';
    default:
      return Number.isSafeInteger(value);
  }
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
