import type { NameOf } from './table.ts';

/** How a comparison compares a column with its operand. */
export type Operator = 'lt' | 'lte' | 'gt' | 'gte' | 'in' | 'contains' | 'not_null';

/**
 * The value of another column of the same row, as the operand of a comparison.
 *
 * @example
 * import { column } from '@pinfold/core/records';
 *
 * column('expiresAt').column; // 'expiresAt'
 */
export class ColumnValue {
  readonly column: string;

  constructor(column: string) {
    this.column = column;
  }
}

/**
 * A comparison other than equality. Null is never less, greater or in a list.
 *
 * @example
 * import { gt } from '@pinfold/core/records';
 *
 * gt(3).operator; // 'gt'
 */
export class Comparison<out Value> {
  readonly operator: Operator;
  /** A value, a {@link ColumnValue}, for `in` a list of values, and undefined for `not_null`. */
  readonly operand: unknown;
  /** Only for the compiler: the type of the compared value. */
  declare readonly compared?: Value;

  constructor(operator: Operator, operand?: unknown) {
    this.operator = operator;
    this.operand = operand;
  }
}

/** Makes a comparison with a value, or with another column. */
export interface Comparing {
  (value: ColumnValue): Comparison<never>;
  <Value extends string | number>(value: Value): Comparison<Value>;
}

function comparing(operator: Operator): (operand: unknown) => Comparison<never> {
  return (operand) => new Comparison(operator, operand);
}

/** Less than: numbers by value, texts by code point. */
export const lt: Comparing = comparing('lt');
/** Less than or equal to. */
export const lte: Comparing = comparing('lte');
/** Greater than. */
export const gt: Comparing = comparing('gt');
/** Greater than or equal to. */
export const gte: Comparing = comparing('gte');
/** One of a list of texts, which may be empty. */
export const oneOf: <Value extends string>(values: readonly Value[]) => Comparison<Value> = comparing('in');
/** A text that contains another one, without wildcards. */
export const contains: (part: string) => Comparison<never> = comparing('contains');
/** Any value but null. */
export const notNull: Comparison<never> = new Comparison('not_null');
/** The value of another column: `{ deletedAt: gte(column('expiresAt')) }`. */
export const column = (name: string): ColumnValue => new ColumnValue(name);

/** A condition on a member: an equal value (or null), a comparison, or several that must all hold. Undefined: none. */
export type Match<Value> = Value | Comparison<Value> | readonly Comparison<Value>[] | undefined;

/** Conditions on rows: all must hold, and at least one of `either`. Columns of JSON have none. */
export type Where<Row> = {
  readonly [Member in keyof Row]?: Match<Row[Member]>;
} & {
  readonly either?: readonly Where<Row>[];
};

/** The order, limits and columns in which rows are read. */
export interface Range<Row, Order extends keyof Row = NameOf<Row>, Selected extends keyof Row = NameOf<Row>> {
  /** The columns to sort by, in order of significance. None of them may be null in any of the rows. */
  readonly order?: readonly Order[];
  /** Whether the order is descending, for all of its columns. */
  readonly descending?: boolean;
  /** The place after which to begin, in values of these columns. */
  readonly after?: { readonly [Member in NoInfer<Order>]: Row[Member] } | undefined;
  /** The greatest number of rows. */
  readonly limit?: number;
  /** The number of rows to skip. */
  readonly offset?: number;
  /** The columns to read; all when absent. Keep the list in a constant: an engine prepares a statement for each. */
  readonly select?: readonly Selected[];
}
