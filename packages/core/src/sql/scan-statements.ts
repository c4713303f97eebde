import type { ScanAction } from '../records/step.ts';
import type { AnyTable } from '../records/table.ts';
import type { SqlTable } from './sql-table.ts';
import { type AnyWhere, membersIn, type SqlPlan, StatementText, shapeOfWhere } from './statement-text.ts';
import { findPlan, orderText, rangeText } from './statements.ts';

/**
 * The statements of a scan, whose result is `{ rows, scannedTo }`: run `rows`, and `end` if there are fewer rows than the
 * limit, on one state of the database. If the action allows `mayScanMore`, an engine can run only `whole`, with `scannedTo`
 * undefined.
 */
export interface ScanPlans {
  /** Finds the rows that pass among the first `maxScanned`. */
  readonly rows: SqlPlan;
  /** Finds the last row of these. */
  readonly end: SqlPlan;
  /** Finds the rows that pass in the whole range. */
  readonly whole: SqlPlan;
}

/**
 * Writes a bounded scan as two statements: databases would evaluate a common table expression for both to its end. The scan
 * checks filter columns that are in an index there, and reads only rows that pass.
 */
export function scanPlans(sqlTable: SqlTable, action: ScanAction): ScanPlans {
  return {
    rows: rowsPlan(sqlTable, action),
    end: endPlan(sqlTable, action),
    whole: findPlan(sqlTable, action),
  };
}

function rowsPlan(sqlTable: SqlTable, action: ScanAction): SqlPlan {
  const { dialect, table } = sqlTable;
  const { where, filter, order, descending, select } = action;
  const covered = coveredBy(sqlTable.table, where, order);
  const filtered = membersIn(filter).filter((member) => covered.has(member));
  const place = dialect.rowPlace?.(table);
  const key = place === undefined ? table.key : [];
  const scanned = [...new Set([...key, ...filtered, ...(dialect.joinKeepsSubqueryOrder ? [] : order)])];
  const text = new StatementText(sqlTable);
  const columns = scanned.map((member) => sqlTable.nameOf('t0', member));
  const on = key.map((member) => `${sqlTable.nameOf('t1', member)} = ${sqlTable.nameOf('scanned', member)}`);
  if (place !== undefined) {
    columns.push(`t0.${place} AS place`);
    on.push(`t1.${place} = scanned.place`);
  }
  const range = rangeText(sqlTable, action, text, [], ({ maxScanned }) => maxScanned);
  const passes = text.where(
    filter,
    (one) => one.filter,
    (member) => (scanned.includes(member) ? 'scanned' : 't1'),
  );
  const read = sqlTable.reader(select);
  const sorted = dialect.joinKeepsSubqueryOrder
    ? []
    : order.map((member) => sqlTable.nameOf('scanned', member));
  const limit = text.bindLimit((one) => one.limit);
  return text.plan(
    `SELECT ${sqlTable.select('t1', select)}
      FROM (SELECT ${columns.join(', ')} FROM ${sqlTable.name} AS t0 ${range}) AS scanned CROSS JOIN ${sqlTable.name} AS t1
      WHERE ${on.join(' AND ')} AND ${passes}${orderText(sorted, descending)} LIMIT ${limit}`,
    { result: (rows) => rows.map((row) => read(row)), isPlannedEachTime: true },
  );
}

function endPlan(sqlTable: SqlTable, action: ScanAction): SqlPlan {
  const read = sqlTable.reader(action.order);
  const plan = findPlan(sqlTable, { ...action, kind: 'find', select: action.order, offset: 0 });
  return {
    ...plan,
    values: (one) => plan.values({ ...one, limit: 1, offset: (one as ScanAction).maxScanned - 1 }),
    result: ([row]) => row && read(row),
    isOneRow: true,
    isPlannedEachTime: true,
  };
}

/** The members of the indexes that have the rows of these conditions in this order. */
function coveredBy({ indexes }: AnyTable, where: AnyWhere, order: readonly string[]): ReadonlySet<string> {
  const isMet = (condition: AnyWhere): boolean =>
    Object.entries(condition).every(
      ([member, match]) => shapeOfWhere({ [member]: match }) === shapeOfWhere({ [member]: where[member] }),
    );
  const usable = indexes.filter(
    (index) => isMet(index.where ?? {}) && order.every((member) => index.columns.includes(member)),
  );
  return new Set(usable.flatMap(({ columns, covers = [] }) => [...columns, ...covers]));
}
