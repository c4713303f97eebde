import type { AnyTable, Column } from '../records/table.ts';

/** How one database writes what databases write differently. */
export interface SqlDialect {
  /** A name of a column that may be a word of the language. */
  quote(name: string): string;
  /** A table by its name. */
  table(name: string): string;
  /** The parameter at a place, counted from 1. */
  parameter(place: number): string;

  /** Whether a column's text is in a list that is bound as one parameter. */
  isIn(column: string, parameter: string): string;
  /** What is bound for a list of texts. */
  list(values: readonly unknown[]): unknown;
  /** Whether a column's text has another one in it. */
  contains(column: string, parameter: string): string;
  /** Whether a flag is set, or not, so that an index with such a condition serves. */
  isFlag(column: string, isSet: boolean): string;
  /** What is bound for a flag. */
  writeFlag(value: boolean): unknown;
  /** Reads a flag as it is answered. */
  readFlag(value: unknown): boolean;
  /** A sum of whole numbers as a whole number. */
  wholeNumber(sum: string): string;
  /** Whether a query over a subquery with an order keeps it without sorting again. */
  readonly keepsOrder: boolean;
  /** The end of an INSERT that replaces other columns where the key is taken. */
  onTakenKey(key: readonly string[], others: readonly string[]): string;

  /** The type of a column with its constraints. Texts in an index or a key are `isIndexed`. */
  columnType(column: Column, name: string, isIndexed: boolean): string;
  /** Whether the sequence of a table is its primary key for this database, and the declared key a further one. */
  readonly isSequenceKey: boolean;
  /** The end of a table's definition. */
  tableEnd(table: AnyTable): string;
  /** The columns of an index with those that it covers, in parentheses; `compared` are those in its condition. */
  indexColumns(columns: readonly string[], covers: readonly string[], compared: readonly string[]): string;
}
