import type { AnyTable, Column } from '../records/table.ts';

/** A name in double quotes, as most databases quote one. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * How one database writes what databases write differently. Every `column` and `name` is quoted already. A statement has
 * each parameter once, in the order in which their values are bound, so a member that is given one writes it exactly once.
 */
export interface SqlDialect {
  /** Quotes the name of a column: it may be a reserved word. */
  quote(name: string): string;
  /** A table by its name, quoted, and in its schema if it has one of its own. */
  table(name: string): string;
  /** The parameter at a place, counted from 1: `$1`, or `?` for every place. */
  parameter(place: number): string;
  /** What stands behind LIMIT, given its parameter. When absent, the parameter itself. */
  limit?(parameter: string): string;

  /** Whether a column's text is in a list that is bound as one parameter. The list may be empty, or have 1,000 texts. */
  isIn(column: string, parameter: string): string;
  /** What is bound for a list of texts, such as an array or its JSON. */
  list(values: readonly unknown[]): unknown;
  /** Whether a column's text has another one in it: no character is a wildcard, and every text has the empty one. */
  contains(column: string, parameter: string): string;
  /** Whether a flag is set, or not. An index with such a condition has to serve, so the text never changes. */
  isFlag(column: string, isSet: boolean): string;
  /** What is bound for a flag. */
  writeFlag(value: boolean): unknown;
  /** Reads a flag as it is answered. */
  readFlag(value: unknown): boolean;
  /** A sum of whole numbers as a whole number, which is answered as a number or as a text of one. */
  wholeNumber(sum: string): string;
  /** A column that finds a row faster than the table's primary key, such as `rowid`. Absent or undefined: none. */
  rowPlace?(table: AnyTable): string | undefined;
  /**
   * Whether the rows of `(SELECT … ORDER BY …) CROSS JOIN …` come in the order of the subquery. `false` is right for every
   * database, and sorts the rows of a scan twice.
   */
  readonly keepsOrder: boolean;
  /**
   * The end of an INSERT that replaces other columns where the key is taken. Without other columns it changes nothing, and
   * the statement must not fail. Where another unique key is taken it has to fail. When absent, `ON CONFLICT … DO …`,
   * as SQLite and PostgreSQL have it.
   */
  onTakenKey?(key: readonly string[], others: readonly string[]): string;

  /**
   * The type of a column with its constraints, such as NOT NULL. Texts must be compared and sorted by code point: name the
   * collation here if it is not the database's. A text in a key has at most 255 characters, unless limits were raised,
   * and a key at most two texts. All others have any length, also those in an index.
   */
  columnType(column: Column, name: string, isKey: boolean): string;
  /**
   * Whether the sequence of a table is its primary key for this database, and the declared key a further one. Then
   * `columnType` of a sequence says PRIMARY KEY.
   */
  readonly isSequenceKey: boolean;
  /** The end of a table's definition, behind its parentheses; may be empty. */
  tableEnd(table: AnyTable): string;
  /**
   * The columns of an index, in parentheses. To answer a query from the index alone, it also needs those that it covers,
   * and in some databases those that are `compared` in its condition: without both it is right, and slower.
   */
  indexColumns(columns: readonly string[], covers: readonly string[], compared: readonly string[]): string;
  /**
   * A text in an index of `texts` texts that is not a key: such as its first characters, where the database bounds the
   * length of an index. The column may be in a key as well, with the type that `columnType` gives it then. The whole
   * text when absent.
   */
  indexedText?(name: string, texts: number): string;
  /** Whether an index cannot have a condition, which is then left out. False when absent. */
  readonly indexesAllRows?: boolean;
}
