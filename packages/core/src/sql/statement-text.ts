import { ColumnValue, Comparison, type Where } from '../records/conditions.ts';
import type { SqlColumn, SqlRow, SqlTable } from './sql-table.ts';

/** Conditions on rows of any table. */
export type AnyWhere = Where<Readonly<Record<string, unknown>>>;

/** The statement for all actions of one shape. */
export interface SqlPlan {
  readonly text: string;
  /** The values to bind for an action, in the order of the parameters: texts, numbers, nulls, flags and lists. */
  values(action: object): unknown[];
  /**
   * Makes the result from the rows, as objects by the names in the text. It may change the rows and return them. Undefined
   * for a write.
   */
  readonly result: ((rows: readonly SqlRow[]) => unknown) | undefined;
  /** Whether there is at most one row. */
  readonly isOneRow: boolean;
  /** Whether the best plan depends on the values, so that the database should not plan the prepared statement only once. */
  readonly isPlannedEachTime: boolean;
}

/** Finds the value of a parameter in an action. */
// biome-ignore lint/suspicious/noExplicitAny: the action is of the shape for which the text was written
export type Binder = (action: any) => unknown;

const SYMBOLS = { lt: '<', lte: '<=', gt: '>', gte: '>=' } as const;

/**
 * Collects the text of a statement on one table, with a {@link Binder} for each parameter. Parameters must be written in the
 * order of the text, since some databases number them by position.
 */
export class StatementText {
  readonly #table: SqlTable;
  readonly binders: Binder[] = [];

  constructor(table: SqlTable) {
    this.#table = table;
  }

  /** Writes a parameter. */
  bind(binder: Binder): string {
    return this.#table.dialect.parameter(this.binders.push(binder));
  }

  /** Writes a parameter for LIMIT. */
  bindLimit(binder: Binder): string {
    const parameter = this.bind(binder);
    return this.#table.dialect.limit?.(parameter) ?? parameter;
  }

  /** Makes the plan of a text, after all of its parameters were written. */
  plan(text: string, answer: Partial<Omit<SqlPlan, 'text' | 'values'>> = {}): SqlPlan {
    const values = (action: object): unknown[] => this.binders.map((binder) => binder(action));
    return { text, values, result: undefined, isOneRow: false, isPlannedEachTime: false, ...answer };
  }

  /** Writes conditions on rows. The alias may depend on the member; `path` finds the conditions in an action. */
  where(
    where: AnyWhere,
    path: Binder = (action) => action.where,
    aliasOf: (member: string) => string = () => 't0',
  ): string {
    const terms = Object.entries(where).flatMap(([member, match]) => {
      if (match === undefined) return [];
      const at: Binder = (action) => (path(action) as Record<string, unknown>)[member];
      const partOf =
        (n: number): Binder =>
        (action) =>
          (at(action) as readonly unknown[])[n];
      if (member === 'either') {
        const options = (match as readonly AnyWhere[]).map((one, n) => this.where(one, partOf(n), aliasOf));
        return [options.length === 0 ? '1 = 0' : `(${options.join(' OR ')})`];
      }
      const name = this.#table.nameOf(aliasOf(member), member);
      if (Array.isArray(match)) return match.map((one, n) => this.#comparison(name, one, partOf(n), aliasOf));
      return [
        match instanceof Comparison
          ? this.#comparison(name, match, at, aliasOf)
          : this.#isEqual(this.#table.column(member), name, match, at),
      ];
    });
    return terms.length === 0 ? '1 = 1' : terms.join(' AND ');
  }

  #isEqual({ column, write }: SqlColumn, name: string, value: unknown, at: Binder): string {
    if (value === null) return `${name} IS NULL`;
    if (column.type === 'json') throw new TypeError(`${name} is JSON, which is not compared`);
    if (column.type === 'flag') return this.#table.dialect.isFlag(name, value as boolean);
    return `${name} = ${this.bind((action) => write(at(action)))}`;
  }

  #comparison(
    name: string,
    { operator, operand }: Comparison<unknown>,
    at: Binder,
    aliasOf: (member: string) => string,
  ): string {
    const { dialect } = this.#table;
    const operandOf: Binder = (action) => (at(action) as Comparison<unknown>).operand;
    switch (operator) {
      case 'not_null':
        return `${name} IS NOT NULL`;
      case 'in':
        return dialect.isIn(
          name,
          this.bind((action) => dialect.list(operandOf(action) as readonly unknown[])),
        );
      case 'contains':
        return dialect.contains(name, this.bind(operandOf));
    }
    const isColumn = operand instanceof ColumnValue;
    const other = isColumn
      ? this.#table.nameOf(aliasOf(operand.column), operand.column)
      : this.bind(operandOf);
    return `${name} ${SYMBOLS[operator]} ${other}`;
  }
}

/** A cache key: the same for conditions that have the same text. */
export function shapeOfWhere(where: AnyWhere): string {
  let shape = '';
  for (const member in where) {
    const match = (where as Record<string, unknown>)[member];
    if (match === undefined) continue;
    if (member === 'either') shape += `(${(match as readonly AnyWhere[]).map(shapeOfWhere).join('|')})`;
    else if (Array.isArray(match)) shape += `${member}[${match.map(shapeOfComparison).join()}]`;
    else if (match instanceof Comparison) shape += member + shapeOfComparison(match);
    else if (match === null || typeof match === 'boolean') shape += `${member}:${match};`;
    else shape += `${member}=`;
  }
  return shape;
}

function shapeOfComparison({ operator, operand }: Comparison<unknown>): string {
  return operand instanceof ColumnValue ? `<${operator} ${operand.column}>` : `<${operator}>`;
}

/** The members that conditions compare. */
export function membersIn(where: object): readonly string[] {
  return Object.entries(where).flatMap(([member, match]) => {
    if (match === undefined) return [];
    return member === 'either' ? (match as readonly object[]).flatMap(membersIn) : [member];
  });
}
