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
 * A comparison other than for an equal value. Null is never less, greater or in a list.
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
  /** Only for the compiler: what is compared. */
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
/** A text with another one in it, literally: no character is a wildcard. */
export const contains: (part: string) => Comparison<never> = comparing('contains');
/** Any value but null. */
export const notNull: Comparison<never> = new Comparison('not_null');
/** The value of another column: `{ deletedAt: gte(column('expiresAt')) }`. */
export const column = (name: string): ColumnValue => new ColumnValue(name);

/** What a member has to be: equal (null, too), compared, or all of several comparisons. Undefined is no condition. */
export type Match<Value> = Value | Comparison<Value> | readonly Comparison<Value>[] | undefined;

/** Conditions that rows meet: all of them, and of those in `either` at least one. Columns of JSON have none. */
export type Where<Row> = {
  readonly [Member in keyof Row]?: Match<Row[Member]>;
} & {
  readonly either?: readonly Where<Row>[];
};

/** Which of the rows that meet a condition are read, and what of them. */
export interface Range<Row, Order extends keyof Row = NameOf<Row>, Selected extends keyof Row = NameOf<Row>> {
  /** The columns to sort by, in order of significance. In none of the rows may one of them be null. */
  readonly order?: readonly Order[];
  /** Whether all of them descend. */
  readonly descending?: boolean;
  /** The values of these columns after which to begin. */
  readonly after?: { readonly [Member in NoInfer<Order>]: Row[Member] } | undefined;
  /** The greatest number of rows. */
  readonly limit?: number;
  /** How many of the first rows are left out. */
  readonly offset?: number;
  /** The columns that are read; all when absent. Keep the list in a constant: an engine prepares a statement for each. */
  readonly select?: readonly Selected[];
}
