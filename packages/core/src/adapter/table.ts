/** How a member of a record is stored. */
export interface Column<Value> {
  readonly name: string;
  /** The type of its parameter, where the database cannot tell. */
  readonly type?: string;
  /** Makes what is bound of the value; absent, the value itself is. */
  readonly write?: (value: Value) => unknown;
  /** Makes the value from the stored one. */
  readonly read?: (kept: unknown) => Value;
}

/** The column of every member of a record: it does not compile when one is missing. */
export type Columns<Row> = { readonly [Member in keyof Row]-?: string | Column<Row[Member]> };

/** What statements about a table and their values are made of. */
export interface Table<Row> {
  readonly members: readonly (keyof Row)[];
  /** The columns for a `SELECT`, each under its member's name. */
  readonly select: string;
  /** The columns for an `INSERT`. */
  readonly insert: string;
  /** The parameters for an `INSERT`, counted from `first`. */
  parameters(first: number): string;
  /** Columns and parameters for an `UPDATE` of some members, counted from `first`. */
  set(members: readonly (keyof Row)[], first: number): string;
  /** What parameters are bound to: those of all members, or of some. */
  values(row: Row, members?: readonly (keyof Row)[]): readonly unknown[];
  /** The record in a row that was selected; what else is in the row is left out. */
  read(row: StoredRow<Row>): Row;
}

/** A row as it was selected: its values have the types of the database. */
export type StoredRow<Row> = { readonly [Member in keyof Row]: unknown };

/**
 * Makes the parts of a table's statements of its columns.
 *
 * @param parameter writes the parameter at a place; `$1`, `$2` … when absent.
 *
 * @example
 * import type { SignInLink } from '@pinfold/core';
 * import { jsonOf, tableOf } from '@pinfold/core/adapter';
 *
 * const links = tableOf<SignInLink>({
 *   tokenHash: 'token_hash',
 *   account: 'account',
 *   actor: jsonOf('actor'),
 *   scope: 'scope',
 *   endsAt: 'ends_at',
 * });
 * const insert = `INSERT INTO links (${links.insert}) VALUES (${links.parameters(1)})`;
 * console.log(insert); // INSERT INTO links (token_hash, account, actor, scope, ends_at) VALUES ($1, $2, …)
 */
export function tableOf<Row>(
  columns: Columns<Row>,
  parameter: (place: number) => string = (place) => `$${place}`,
): Table<Row> {
  const members = Object.keys(columns) as (keyof Row & string)[];
  const columnOf = <Member extends keyof Row>(member: Member): Column<Row[Member]> => {
    const column: string | Column<Row[Member]> = columns[member];
    return typeof column === 'string' ? { name: column } : column;
  };
  const bound = (member: keyof Row, place: number): string => {
    const { type } = columnOf(member);
    return parameter(place) + (type === undefined ? '' : `::${type}`);
  };
  const readers = members.flatMap((member) => {
    const { read } = columnOf(member);
    return read === undefined ? [] : [[member, read] as const];
  });
  // Copying a template is twice as fast as adding keys, and every view reads a role.
  const blank = Object.fromEntries(members.map((member) => [member, undefined])) as Record<
    keyof Row,
    unknown
  >;
  return {
    members,
    select: members.map((member) => `${columnOf(member).name} AS "${member}"`).join(', '),
    insert: members.map((member) => columnOf(member).name).join(', '),
    parameters: (first) => members.map((member, n) => bound(member, first + n)).join(', '),
    set: (some, first) =>
      some.map((member, n) => `${columnOf(member).name} = ${bound(member, first + n)}`).join(', '),
    values: (row, some = members) =>
      some.map((member) => {
        const { write } = columnOf(member);
        return write === undefined ? row[member] : write(row[member]);
      }),
    read: (row) => {
      const record = { ...blank };
      for (const member of members) record[member] = row[member];
      for (const [member, read] of readers) record[member] = read(row[member]);
      return record as Row;
    },
  };
}
