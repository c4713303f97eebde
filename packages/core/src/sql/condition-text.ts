import { ColumnValue, Comparison } from '../records/conditions.ts';
import type { AnyWhere } from './condition-shape.ts';
import type { SqlDialect } from './dialect.ts';
import type { SqlColumn, SqlTable } from './sql-table.ts';

// biome-ignore lint/suspicious/noExplicitAny: the action is of the shape for which the text was written
type Binder = (action: any) => unknown;

const SYMBOLS = { lt: '<', lte: '<=', gt: '>', gte: '>=' } as const;

/**
 * The text of a statement while it is written, with what finds the values of its parameters in an action. Parameters have
 * to be written in the order of the text, since some databases count them.
 */
export class StatementText {
  readonly dialect: SqlDialect;
  readonly binders: Binder[] = [];

  constructor(dialect: SqlDialect) {
    this.dialect = dialect;
  }

  /** Writes a parameter. */
  bind(binder: Binder): string {
    return this.dialect.parameter(this.binders.push(binder));
  }

  /** Writes a parameter that is the greatest number of rows. */
  bindLimit(binder: Binder): string {
    const parameter = this.bind(binder);
    return this.dialect.limit?.(parameter) ?? parameter;
  }

  /** Conditions on a table's rows. The alias may depend on the member; `path` finds the conditions in an action. */
  where(
    table: SqlTable,
    where: AnyWhere,
    path: (action: never) => AnyWhere,
    aliasOf: (member: string) => string,
  ): string {
    const terms = Object.entries(where).flatMap(([member, match]) => {
      if (match === undefined) return [];
      const at: Binder = (action) => (path(action as never) as Record<string, unknown>)[member];
      if (member === 'either') {
        const ways = (match as readonly AnyWhere[]).map((way, n) =>
          this.where(table, way, (action) => (at(action) as readonly AnyWhere[])[n] ?? {}, aliasOf),
        );
        return [ways.length === 0 ? '1 = 0' : `(${ways.join(' OR ')})`];
      }
      const column = table.column(member);
      const name = table.nameOf(aliasOf(member), member);
      if (Array.isArray(match)) {
        return match.map((one, n) =>
          this.#comparison(table, name, one, (action) => (at(action) as readonly unknown[])[n], aliasOf),
        );
      }
      return [
        match instanceof Comparison
          ? this.#comparison(table, name, match, at, aliasOf)
          : this.#isEqual(column, name, match, at),
      ];
    });
    return terms.length === 0 ? '1 = 1' : terms.join(' AND ');
  }

  #isEqual({ column, write }: SqlColumn, name: string, value: unknown, at: Binder): string {
    if (value === null) return `${name} IS NULL`;
    if (column.type === 'json') throw new TypeError(`${name} is JSON, which is not compared`);
    if (column.type === 'flag') return this.dialect.isFlag(name, value as boolean);
    return `${name} = ${this.bind((action) => write(at(action)))}`;
  }

  #comparison(
    table: SqlTable,
    name: string,
    { operator, operand }: Comparison<unknown>,
    at: Binder,
    aliasOf: (member: string) => string,
  ): string {
    if (operator === 'not_null') return `${name} IS NOT NULL`;
    const operandOf: Binder = (action) => (at(action) as Comparison<unknown>).operand;
    if (operator === 'in') {
      const { dialect } = this;
      const list = this.bind((action) => dialect.list(operandOf(action) as readonly unknown[]));
      return dialect.isIn(name, list);
    }
    if (operator === 'contains') return this.dialect.contains(name, this.bind(operandOf));
    const other =
      operand instanceof ColumnValue
        ? table.nameOf(aliasOf(operand.column), operand.column)
        : this.bind(operandOf);
    return `${name} ${SYMBOLS[operator]} ${other}`;
  }
}
