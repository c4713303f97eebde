import type { Lookup } from '../records/lookup.ts';
import type { FindAction, GetAction, ScanAction, TableAction } from '../records/step.ts';
import type { AnyTable } from '../records/table.ts';
import { shapeOfWhere } from './condition-shape.ts';
import type { SqlDialect } from './dialect.ts';
import { aggregatePlan, distinctPlan, findPlan, getPlan, lookupPlan, maxPlan } from './read-statements.ts';
import { type ScanPlans, scanPlans } from './scan-statements.ts';
import type { LookupPlan, SqlPlan, Writing } from './sql-plan.ts';
import { SqlTable } from './sql-table.ts';
import { insertPlan, removePlan, updatePlan } from './write-statements.ts';

/**
 * Writes each action of a program as a statement of one database. The statement of a shape is written once: names,
 * nulls, flags and comparisons are in it, and all other values are parameters.
 *
 * @example
 * import { defineTable, gt, integer, type RecordTable, text } from '@pinfold/core/records';
 * import { SqlCompiler, type SqlDialect } from '@pinfold/core/sql';
 *
 * declare const dialect: SqlDialect;
 *
 * const BOOKS: RecordTable<{ readonly isbn: string; readonly pages: number }, 'isbn'> = defineTable({
 *   name: 'books',
 *   columns: { isbn: text, pages: integer },
 *   key: ['isbn'],
 *   guards: undefined,
 * });
 * const compiler = new SqlCompiler(dialect);
 * const action = { kind: 'max', table: BOOKS, where: { isbn: gt('a') }, column: 'pages' } as const;
 * const plan = compiler.planOf(action);
 * console.log(plan?.text, plan?.values(action)); // SELECT max(t0."pages") … [ 'a' ]
 */
export class SqlCompiler {
  readonly #plans: Map<AnyTable, Map<string, unknown>> = new Map();
  readonly #lookups: Map<Lookup<unknown>, LookupPlan<unknown>> = new Map();
  readonly #texts: WeakMap<object, string> = new WeakMap();
  readonly #writing: Writing;

  constructor(dialect: SqlDialect) {
    const tables = new Map<AnyTable, SqlTable>();
    const tableOf = (table: AnyTable): SqlTable => {
      const known = tables.get(table) ?? new SqlTable(table, dialect);
      tables.set(table, known);
      return known;
    };
    this.#writing = { dialect, tableOf };
  }

  /** The statement of an action other than a scan; undefined for an update that changes nothing. */
  planOf(action: Exclude<TableAction, ScanAction>): SqlPlan | undefined {
    const { table } = action;
    const writing = this.#writing;
    switch (action.kind) {
      case 'get':
        return this.#known(table, `get ${this.#shapeOfGet(action)}`, () => getPlan(writing, action));
      case 'find':
        return this.#known(table, `find ${this.#shapeOf(action)}`, () => findPlan(writing, action));
      case 'aggregate': {
        const shape = `aggregate ${action.sum} ${shapeOfWhere(action.where)}`;
        return this.#known(table, shape, () => aggregatePlan(writing, action));
      }
      case 'max': {
        const shape = `max ${action.column} ${shapeOfWhere(action.where)}`;
        return this.#known(table, shape, () => maxPlan(writing, action));
      }
      case 'distinct': {
        const start = action.after === undefined ? 'from first' : 'after';
        const shape = `distinct ${action.column} ${start} ${shapeOfWhere(action.where)}`;
        return this.#known(table, shape, () => distinctPlan(writing, action));
      }
      case 'insert':
      case 'upsert':
        return this.#known(table, action.kind, () => insertPlan(writing, action));
      case 'update': {
        const members = Object.keys(action.changes).join();
        if (members === '') return undefined;
        return this.#known(table, `update ${members}`, () => updatePlan(writing, action));
      }
      case 'remove':
        return this.#known(table, 'remove', () => removePlan(writing, action));
    }
  }

  /** The statements of a scan. */
  scanPlansOf(action: ScanAction): ScanPlans {
    const shape = `scan ${this.#shapeOf(action)} ${shapeOfWhere(action.filter)}`;
    return this.#known(action.table, shape, () => scanPlans(this.#writing, action));
  }

  /** The statements of a lookup, and what makes its value. */
  lookupPlanOf<Value>(lookup: Lookup<Value>): LookupPlan<Value> {
    const plan = this.#lookups.get(lookup) ?? lookupPlan(this.#writing, lookup);
    this.#lookups.set(lookup, plan);
    return plan as LookupPlan<Value>;
  }

  #known<Plan>(table: AnyTable, shape: string, write: () => Plan): Plan {
    const plans = this.#plans.get(table) ?? new Map<string, unknown>();
    this.#plans.set(table, plans);
    const plan = (plans.get(shape) as Plan | undefined) ?? write();
    plans.set(shape, plan);
    return plan;
  }

  #shapeOfGet({ select, references }: GetAction): string {
    if (references === undefined) return this.#join(select);
    const text = this.#texts.get(references) ?? JSON.stringify(references);
    this.#texts.set(references, text);
    return `${this.#join(select)} ${text}`;
  }

  #shapeOf({ where, order, descending, after, limit, offset, select }: FindAction | ScanAction): string {
    const presence = [after, limit, offset].map((value) => Number(value !== undefined)).join('');
    const direction = descending === true ? 'down' : 'up';
    return `${presence} ${direction} ${this.#join(order)} ${this.#join(select)} ${shapeOfWhere(where)}`;
  }

  /** The names of a list, which is a constant in nearly every program. */
  #join(names: readonly string[] | undefined): string {
    if (names === undefined) return '';
    const text = this.#texts.get(names) ?? names.join();
    this.#texts.set(names, text);
    return text;
  }
}
