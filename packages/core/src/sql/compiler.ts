import type { Lookup } from '../records/program.ts';
import type { FindAction, ScanAction, TableAction } from '../records/step.ts';
import type { AnyTable } from '../records/table.ts';
import type { SqlDialect } from './dialect.ts';
import { SqlTable } from './sql-table.ts';
import { type SqlPlan, shapeOfWhere } from './statement-text.ts';
import {
  aggregatePlan,
  distinctPlan,
  findPlan,
  getPlan,
  insertPlan,
  type LookupPlan,
  lookupPlan,
  maxPlan,
  removePlan,
  type ScanPlans,
  scanPlans,
  updatePlan,
} from './statements.ts';

/**
 * Compiles each action of a program to a statement of one database, and caches it by the action's shape: names, nulls, flags
 * and comparisons are part of the statement, and all other values are parameters.
 *
 * @example
 * import { TABLES } from '@pinfold/core/records';
 * import { SqlCompiler, type SqlDialect } from '@pinfold/core/sql';
 *
 * declare const dialect: SqlDialect;
 *
 * const compiler = new SqlCompiler(dialect);
 * for (const table of TABLES) console.log(compiler.planOf({ kind: 'find', table, where: {} })?.text);
 */
export class SqlCompiler {
  readonly #dialect: SqlDialect;
  /** The plans of each table, by the shapes of actions and by lookups. */
  readonly #tables: Map<AnyTable, { sqlTable: SqlTable; plans: Map<string | Lookup<unknown>, unknown> }> =
    new Map();
  readonly #texts: WeakMap<object, string> = new WeakMap();

  constructor(dialect: SqlDialect) {
    this.#dialect = dialect;
  }

  /** The statement of an action other than a scan; undefined for an update that changes nothing. */
  planOf(action: Exclude<TableAction, ScanAction>): SqlPlan | undefined {
    const { table } = action;
    const where = 'where' in action ? shapeOfWhere(action.where) : '';
    switch (action.kind) {
      case 'get': {
        const shape = `get ${this.#textOf(action.select)} ${this.#textOf(action.references)}`;
        return this.#cached(table, shape, (sqlTable) => getPlan(sqlTable, action));
      }
      case 'find':
        return this.#cached(table, `find ${this.#rangeOf(action)} ${where}`, (sqlTable) =>
          findPlan(sqlTable, action),
        );
      case 'aggregate':
        return this.#cached(table, `sum ${action.sum} ${where}`, (sqlTable) =>
          aggregatePlan(sqlTable, action),
        );
      case 'max':
        return this.#cached(table, `max ${action.column} ${where}`, (sqlTable) => maxPlan(sqlTable, action));
      case 'distinct': {
        const shape = `distinct ${action.column} ${action.after === undefined} ${where}`;
        return this.#cached(table, shape, (sqlTable) => distinctPlan(sqlTable, action));
      }
      case 'insert':
      case 'upsert':
        return this.#cached(table, action.kind, (sqlTable) => insertPlan(sqlTable, action));
      case 'update': {
        const members = Object.keys(action.changes).join();
        if (members === '') return undefined;
        return this.#cached(table, `update ${members}`, (sqlTable) => updatePlan(sqlTable, action));
      }
      case 'remove':
        return this.#cached(table, 'remove', removePlan);
    }
  }

  scanPlansOf(action: ScanAction): ScanPlans {
    const conditions = `${shapeOfWhere(action.where)} ${shapeOfWhere(action.filter)}`;
    const shape = `scan ${this.#rangeOf(action)} ${conditions}`;
    return this.#cached(action.table, shape, (sqlTable) => scanPlans(sqlTable, action));
  }

  lookupPlanOf<Value>(lookup: Lookup<Value>): LookupPlan<Value> {
    return this.#cached(lookup.table, lookup, (sqlTable) => lookupPlan(sqlTable, lookup));
  }

  #cached<Plan>(table: AnyTable, shape: string | Lookup<unknown>, make: (table: SqlTable) => Plan): Plan {
    const cached = this.#tables.get(table) ?? {
      sqlTable: new SqlTable(table, this.#dialect),
      plans: new Map(),
    };
    this.#tables.set(table, cached);
    const plan = (cached.plans.get(shape) as Plan | undefined) ?? make(cached.sqlTable);
    cached.plans.set(shape, plan);
    return plan;
  }

  #rangeOf({ order, descending, after, limit, offset, select }: FindAction | ScanAction): string {
    const presence = [after, limit, offset].map((value) => Number(value !== undefined)).join('');
    const direction = descending === true ? 'down' : 'up';
    return `${presence} ${direction} ${this.#textOf(order)} ${this.#textOf(select)}`;
  }

  /** The text of columns, cached because they are a constant in nearly every program. */
  #textOf(columns: object | undefined): string {
    if (columns === undefined) return '';
    const text = this.#texts.get(columns) ?? JSON.stringify(columns);
    this.#texts.set(columns, text);
    return text;
  }
}
