import type { AnyTable, Column } from '@pinfold/core/records';
import type { Row } from './matching.ts';
import { MemoryTable } from './memory-table.ts';

/** What becomes of one row at the end of a transaction. */
export type Change =
  | { readonly kind: 'row'; readonly row: Row; readonly isNew: boolean }
  | { readonly kind: 'members'; readonly members: Row }
  | { readonly kind: 'removed' };

/** The changes of one table, by the key of the row. */
export type Changes = ReadonlyMap<string, Change>;

/** The committed rows of all tables, which the handles on one database share. */
export class MemoryTables {
  readonly #tables: Map<string, MemoryTable> = new Map();
  #sequence = 0;

  rowsOf(table: AnyTable): MemoryTable {
    let rows = this.#tables.get(table.name);
    if (rows === undefined) {
      rows = new MemoryTable(table);
      this.#tables.set(table.name, rows);
    }
    return rows;
  }

  nextInSequence(): number {
    this.#sequence += 1;
    return this.#sequence;
  }

  /** Commits changes of several tables, or throws and changes nothing. */
  commit(changes: ReadonlyMap<AnyTable, Changes>): void {
    const after = [...changes].map(([table, own]) => [table, this.#rowsAfter(table, own)] as const);
    for (const [table, changed] of after) {
      const rows = this.rowsOf(table);
      for (const [key, row] of changed) {
        if (row === undefined) rows.delete(key);
        else rows.set(key, row);
      }
    }
  }

  /** The same rows, which change apart. */
  copy(): MemoryTables {
    const copy = new MemoryTables();
    for (const [name, rows] of this.#tables) copy.#tables.set(name, rows.copy());
    copy.#sequence = this.#sequence;
    return copy;
  }

  /** The changed rows of a table; undefined for those that are removed. */
  #rowsAfter(table: AnyTable, changes: Changes): ReadonlyMap<string, Row | undefined> {
    const rows = this.rowsOf(table);
    const changed = new Map<string, Row | undefined>();
    for (const [key, change] of changes) {
      if (change.kind === 'row' && change.isNew && rows.get(key) !== undefined)
        throw takenKey(table, table.key);
      changed.set(key, rowAfter(change, rows.get(key)));
    }
    for (const members of table.unique) expectUnique(table, members, rows, changed);
    return changed;
  }
}

/** The row after a change of what was there before. */
export function rowAfter(change: Change, before: Row | undefined): Row | undefined {
  if (change.kind === 'row') return change.row;
  return change.kind === 'removed' || before === undefined ? undefined : { ...before, ...change.members };
}

export function keyText({ key }: AnyTable, row: Row): string {
  return JSON.stringify(key.map((member) => row[member]));
}

export function takenKey(table: AnyTable, members: readonly string[]): Error {
  return new Error(`the key ${members.join(', ')} of ${table.name} is taken`);
}

/** Some members of a row, as conditions. */
export function membersOf(row: Row, members: readonly string[]): Row {
  return Object.fromEntries(members.map((member) => [member, row[member]]));
}

function expectUnique(
  table: AnyTable,
  members: readonly string[],
  rows: MemoryTable,
  changed: ReadonlyMap<string, Row | undefined>,
): void {
  const own = [...changed.values()].filter((row) => row !== undefined);
  own.forEach((row, n) => {
    if (members.some((member) => row[member] === null)) return;
    const found = [...rows.search(membersOf(row, members)).rows];
    const others = found.filter(([key]) => !changed.has(key)).map(([, other]) => other);
    const isTaken = [...others, ...own.slice(n + 1)].some((other) =>
      members.every((member) => other[member] === row[member]),
    );
    if (isTaken) throw takenKey(table, members);
  });
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
