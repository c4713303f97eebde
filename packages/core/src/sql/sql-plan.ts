import type { SqlRow } from './sql-table.ts';

/** The statement for all actions of one shape. */
export interface SqlPlan {
  readonly text: string;
  /** What is bound to its parameters for an action, in the order of the text: texts, numbers, nulls, flags and lists. */
  values(action: object): unknown[];
  /**
   * Makes the result of the rows that are answered, as objects by the names in the text. It may change them and give them
   * away, so each is passed once. Undefined for a write.
   */
  readonly result: ((rows: readonly SqlRow[]) => unknown) | undefined;
  /** Whether at most one row is answered. */
  readonly isOneRow: boolean;
  /** Whether the best plan depends on the values: a database that plans a prepared statement once should not do so. */
  readonly isPlannedEachTime: boolean;
}

/** The statements of a lookup. */
export interface LookupPlan<Value> {
  /** The statement of one key, its only parameter. */
  readonly text: string;
  /** The statement of several keys, whose only parameter is the dialect's list of them. */
  readonly textForKeys: string;
  /** The key of a row that is answered to several. */
  keyOf(row: SqlRow): string;
  /** Makes the value of a row that is answered. */
  make(row: SqlRow): Value;
}
