import type { StoredAs } from '../domain/record-schema.ts';
import { snakeCase } from '../domain/text.ts';
import { parseJson, parseJsonList } from './json.ts';

/** How a member of a record is stored. */
export interface Column {
  readonly name: string;
  /** The type of its parameter, where the database cannot tell. */
  readonly type?: string;
  /** Makes what is bound of the value; absent, the value itself is. */
  readonly write?: (value: never) => unknown;
  readonly read?: (kept: unknown) => unknown;
}

/** How a database stores whole numbers and flags, and how its statements write parameters. */
export interface ColumnTypes {
  integer(name: string): Pick<Column, 'name' | 'type'>;
  flag(name: string): Column;
  /** Writes the parameter at a place; `$1`, `$2` … when absent. */
  readonly parameter?: (place: number) => string;
}

/** How every member of a record is stored: it does not compile when one is missing. */
export type Stored<Row> = { readonly [Member in keyof Row]-?: { readonly storedAs: StoredAs } };

/** The parts of a table's SQL statements, and their values. */
export interface Table<Row> {
  readonly members: readonly (keyof Row)[];
  /** The columns for a `SELECT`, each under its member's name. */
  readonly select: string;
  readonly insert: string;
  /** The parameters for an `INSERT`, counted from `first`. */
  parameters(first: number): string;
  /** Columns and parameters for an `UPDATE` of some members, counted from `first`. */
  set(members: readonly (keyof Row)[], first: number): string;
  values(row: Row, members?: readonly (keyof Row)[]): readonly unknown[];
  /** The record in a row that was selected; what else is in the row is left out. */
  read(row: StoredRow<Row>): Row;
}

/** A row as it was selected: its values have the types of the database. */
export type StoredRow<Row> = { readonly [Member in keyof Row]: unknown };

export function tableOf<Row>(stored: Stored<Row>, types: ColumnTypes): Table<Row> {
  const { parameter = (place) => `$${place}` } = types;
  const members = Object.keys(stored) as (keyof Row & string)[];
  const columns = Object.fromEntries(
    members.map((member) => [member, columnOf(member, stored[member].storedAs, types)]),
  ) as { readonly [Member in keyof Row]: Column };
  const bound = (member: keyof Row, place: number): string => {
    const { type } = columns[member];
    return parameter(place) + (type === undefined ? '' : `::${type}`);
  };
  const readers = members.flatMap((member) => {
    const { read } = columns[member];
    return read === undefined ? [] : [[member, read] as const];
  });
  // Copying a template is twice as fast as adding keys, and every view reads a role.
  const blank = Object.fromEntries(members.map((member) => [member, undefined])) as Record<
    keyof Row,
    unknown
  >;
  return {
    members,
    select: members.map((member) => `${columns[member].name} AS "${member}"`).join(', '),
    insert: members.map((member) => columns[member].name).join(', '),
    parameters: (first) => members.map((member, n) => bound(member, first + n)).join(', '),
    set: (some, first) =>
      some.map((member, n) => `${columns[member].name} = ${bound(member, first + n)}`).join(', '),
    values: (row, some = members) =>
      some.map((member) => {
        const { write } = columns[member];
        return write === undefined ? row[member] : write(row[member] as never);
      }),
    read: (row) => {
      const record = { ...blank };
      for (const member of members) record[member] = row[member];
      for (const [member, read] of readers) record[member] = read(row[member]);
      return record as Row;
    },
  };
}

/** The column of a member has its name in words with underscores. */
function columnOf(member: string, storedAs: StoredAs, { integer, flag }: ColumnTypes): Column {
  const name = snakeCase(member);
  switch (storedAs) {
    case 'text':
      return { name };
    case 'integer':
      return integer(name);
    case 'flag':
      return flag(name.replace(/^is_/, ''));
    case 'list':
      return { name, write: JSON.stringify, read: (kept) => parseJsonList(kept as string) };
    case 'object':
      return { name, write: JSON.stringify, read: (kept) => parseJson(kept as string) };
  }
}
