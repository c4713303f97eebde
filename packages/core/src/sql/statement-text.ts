import { ColumnValue, Comparison, type Where } from '../records/conditions.ts';
import type { SqlColumn, SqlRow, SqlTable } from './sql-table.ts';

/** Conditions on rows of any table. */
export type AnyWhere = Where<Readonly<Record<string, unknown>>>;

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

/** Finds the value of a parameter in an action. */
// biome-ignore lint/suspicious/noExplicitAny: the action is of the shape for which the text was written
export type Binder = (action: any) => unknown;

const SYMBOLS = { lt: '<', lte: '<=', gt: '>', gte: '>=' } as const;

/**
 * The text of a statement on a table while it is written, with what finds the values of its parameters in an action.
 * Parameters have to be written in the order of the text, since some databases count them.
 */
export class StatementText {
  readonly #own: SqlTable;
  readonly binders: Binder[] = [];

  constructor(own: SqlTable) {
    this.#own = own;
  }

  /** Writes a parameter. */
  bind(binder: Binder): string {
    return this.#own.dialect.parameter(this.binders.push(binder));
  }

  /** Writes a parameter that is the greatest number of rows. */
  bindLimit(binder: Binder): string {
    const parameter = this.bind(binder);
    return this.#own.dialect.limit?.(parameter) ?? parameter;
  }

  /** The plan of a text, whose parameters are all written. */
  plan(text: string, answer: Partial<Omit<SqlPlan, 'text' | 'values'>> = {}): SqlPlan {
    const values = (action: object): unknown[] => this.binders.map((binder) => binder(action));
    return { text, values, result: undefined, isOneRow: false, isPlannedEachTime: false, ...answer };
  }

  /** Conditions on rows. The alias may depend on the member; `path` finds the conditions in an action. */
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
        const ways = (match as readonly AnyWhere[]).map((way, n) => this.where(way, partOf(n), aliasOf));
        return [ways.length === 0 ? '1 = 0' : `(${ways.join(' OR ')})`];
      }
      const name = this.#own.nameOf(aliasOf(member), member);
      if (Array.isArray(match)) return match.map((one, n) => this.#comparison(name, one, partOf(n), aliasOf));
      return [
        match instanceof Comparison
          ? this.#comparison(name, match, at, aliasOf)
          : this.#isEqual(this.#own.column(member), name, match, at),
      ];
    });
    return terms.length === 0 ? '1 = 1' : terms.join(' AND ');
  }

  #isEqual({ column, write }: SqlColumn, name: string, value: unknown, at: Binder): string {
    if (value === null) return `${name} IS NULL`;
    if (column.type === 'json') throw new TypeError(`${name} is JSON, which is not compared`);
    if (column.type === 'flag') return this.#own.dialect.isFlag(name, value as boolean);
    return `${name} = ${this.bind((action) => write(at(action)))}`;
  }

  #comparison(
    name: string,
    { operator, operand }: Comparison<unknown>,
    at: Binder,
    aliasOf: (member: string) => string,
  ): string {
    const { dialect } = this.#own;
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
    const other = isColumn ? this.#own.nameOf(aliasOf(operand.column), operand.column) : this.bind(operandOf);
    return `${name} ${SYMBOLS[operator]} ${other}`;
  }
}

/** A text that is the same for conditions with the same statement. */
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
