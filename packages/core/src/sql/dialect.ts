import type { AnyTable, Column } from '../records/table.ts';

/** Quotes a name with double quotes, as most databases do. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * The SQL that differs between databases. Each `column` and `name` is quoted already. Values are bound in the order of the
 * parameters in a statement, so a member that takes a parameter writes it exactly once.
 */
export interface SqlDialect {
  /** Quotes the name of a column: it may be a reserved word. */
  quote(name: string): string;
  /** Quotes the name of a table, with its schema if it has one. */
  table(name: string): string;
  /** The parameter at a place, counted from 1: `$1`, or `?` for every place. */
  parameter(place: number): string;
  /** The expression after LIMIT; the parameter itself when absent. */
  limit?(parameter: string): string;

  /** A condition: the column's text is in a list, bound as one parameter, of 0 to 1,000 texts. */
  isIn(column: string, parameter: string): string;
  /** The value to bind for a list of texts, such as an array or its JSON. */
  list(values: readonly unknown[]): unknown;
  /** A condition: the column's text contains another, without wildcards. Every text contains the empty one. */
  contains(column: string, parameter: string): string;
  /** A condition: the flag is set, or not set. Its text must equal that of an index condition, for the index to be used. */
  isFlag(column: string, isSet: boolean): string;
  /** The value to bind for a flag. */
  writeFlag(value: boolean): unknown;
  /** Converts a flag from the database. */
  readFlag(value: unknown): boolean;
  /** Casts a sum of whole numbers to a whole number, which the database answers as a number or as text. */
  wholeNumber(sum: string): string;
  /** A column that finds a row faster than the primary key, such as `rowid`; undefined for none. */
  rowPlace?(table: AnyTable): string | undefined;
  /**
   * Whether the rows of `(SELECT … ORDER BY …) CROSS JOIN …` keep the order of the subquery. `false` is correct for every
   * database, but sorts the rows of a scan twice.
   */
  readonly joinKeepsSubqueryOrder: boolean;
  /**
   * The end of an INSERT that replaces the columns `others` if a row with this key exists; does nothing without `others`.
   * The statement must fail if a row has another of its unique keys. When absent: `ON CONFLICT … DO …` of SQLite and
   * PostgreSQL.
   */
  onTakenKey?(key: readonly string[], others: readonly string[]): string;

  /**
   * The type of a column with its constraints, such as NOT NULL. Texts must be compared and sorted by code point: name the
   * collation if that is not the default. A key has at most two texts, of at most 255 characters unless limits were
   * raised. Other texts, even in an index, have any length.
   */
  columnType(column: Column, name: string, isKey: boolean): string;
  /**
   * Whether this database makes the sequence of a table its primary key, and the declared key a unique one. If so,
   * `columnType` of a sequence contains PRIMARY KEY.
   */
  readonly sequenceIsPrimaryKey: boolean;
  /** The end of a table's definition, after its parentheses; may be empty. */
  tableEnd(table: AnyTable): string;
  /**
   * The columns of an index, in parentheses. Adding those that it `covers`, and in some databases those `compared` in its
   * condition, lets the index alone answer a query; without them the query is slower.
   */
  indexColumns(columns: readonly string[], covers: readonly string[], compared: readonly string[]): string;
  /**
   * A text column in an index of `texts` such columns: only its first characters, for example, if the database limits the
   * length of an index. The column may be in a key as well, with the type from `columnType`. When absent: the whole text.
   */
  indexedText?(name: string, texts: number): string;
  /** Whether indexes cannot have conditions, and so contain all rows. False when absent. */
  readonly indexesAllRows?: boolean;
}
