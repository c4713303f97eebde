import { parseJson } from '../adapter/json.ts';
import { snakeCase } from '../domain/text.ts';
import type { AnyTable, Column } from '../records/table.ts';
import type { SqlDialect } from './dialect.ts';

/** A row as it is answered: its values have the types of the database. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** A column in statements. */
export interface SqlColumn {
  readonly name: string;
  readonly column: Column;
  /** Makes what is bound of a value. */
  readonly write: (value: unknown) => unknown;
  /** Makes the value of what is answered; undefined where both are the same. */
  readonly read: ((value: unknown) => unknown) | undefined;
}

/** A table in the statements of one database. */
export class SqlTable {
  readonly table: AnyTable;
  readonly dialect: SqlDialect;
  readonly name: string;
  readonly members: readonly string[];
  /** The sequence, if it is the primary key for the database. */
  readonly sequenceKey: string | undefined;
  readonly #columns: ReadonlyMap<string, SqlColumn>;

  constructor(table: AnyTable, dialect: SqlDialect) {
    this.table = table;
    this.dialect = dialect;
    this.name = dialect.table(table.name);
    this.members = Object.keys(table.columns);
    const sequence = this.members.find((member) => table.columns[member]?.type === 'sequence');
    this.sequenceKey = dialect.isSequenceKey ? sequence : undefined;
    this.#columns = new Map(
      Object.entries(table.columns).map(([member, column]) => [member, sqlColumn(member, column, dialect)]),
    );
  }

  /** @throws TypeError for a member without a column. */
  column(member: string): SqlColumn {
    const column = this.#columns.get(member);
    if (column === undefined) throw new TypeError(`${this.table.name} has no column ${member}`);
    return column;
  }

  /** The table whose primary key a member refers to. */
  reference(member: string): SqlTable {
    return new SqlTable((this.table.references[member] as () => AnyTable)(), this.dialect);
  }

  /** The column of a member, of the row with an alias. */
  nameOf(alias: string, member: string): string {
    return alias === '' ? this.column(member).name : `${alias}.${this.column(member).name}`;
  }

  /** The columns for a SELECT, under the names of their members with a prefix. */
  select(alias: string, members: readonly string[] = this.members, prefix = ''): string {
    return members.map((member) => `${this.nameOf(alias, member)} AS "${prefix}${member}"`).join(', ');
  }

  /** What reads rows that were selected so, without a prefix and nothing else: the answered row becomes the result. */
  reader(members: readonly string[] = this.members): (row: SqlRow) => SqlRow {
    const converted = this.#converted(members);
    return (row) => {
      const record: Record<string, unknown> = row;
      for (const [member, read] of converted) record[member] = read(record[member]);
      return record;
    };
  }

  /** What reads the part of a row that was selected with a prefix, or beside other parts. */
  partReader(members: readonly string[] = this.members, prefix = ''): (row: SqlRow) => SqlRow {
    // Copying a template is twice as fast as adding keys, and every view reads a role.
    const blank = Object.fromEntries(members.map((member) => [member, undefined]));
    const converted = this.#converted(members);
    const names = members.map((member) => [member, prefix + member] as const);
    return (row) => {
      const record: Record<string, unknown> = { ...blank };
      for (const [member, name] of names) record[member] = row[name];
      for (const [member, read] of converted) record[member] = read(record[member]);
      return record;
    };
  }

  #converted(members: readonly string[]): readonly (readonly [string, (value: unknown) => unknown])[] {
    return members.flatMap((member) => {
      const { read } = this.column(member);
      return read === undefined ? [] : [[member, read] as const];
    });
  }
}

function sqlColumn(member: string, column: Column, dialect: SqlDialect): SqlColumn {
  const name = dialect.quote(snakeCase(member));
  const unlessNull =
    (convert: (value: never) => unknown) =>
    (value: unknown): unknown =>
      value === null ? null : convert(value as never);
  if (column.type === 'json')
    return { name, column, write: unlessNull(JSON.stringify), read: unlessNull(parseJson) };
  if (column.type !== 'flag') return { name, column, write: (value) => value, read: undefined };
  const write = unlessNull((value) => dialect.writeFlag(value));
  return { name, column, write, read: unlessNull((value) => dialect.readFlag(value)) };
}
