import type { ScanAction } from '../records/step.ts';
import type { AnyTable } from '../records/table.ts';
import type { SqlTable } from './sql-table.ts';
import { type AnyWhere, membersIn, type SqlPlan, StatementText, shapeOfWhere } from './statement-text.ts';
import { findPlan, orderText, rangeText } from './statements.ts';

/**
 * A scan in statements. Its result is `{ rows, scannedTo }`: the `rows`, and the `end` if they are fewer than the limit;
 * both statements have to see one state. An engine that may scan more (`mayScanMore`) can run `whole` instead of both, with
 * `scannedTo` undefined.
 */
export interface ScanPlans {
  /** Finds the rows that pass, of the number of rows that are scanned at most. */
  readonly rows: SqlPlan;
  /** Finds the place of the last row that was scanned. */
  readonly end: SqlPlan;
  /** Finds the rows that pass, however many are scanned. */
  readonly whole: SqlPlan;
}

/**
 * Two statements for a scan that is bounded, since a common table expression that both parts used would always be walked
 * to its end. The walk reads an index alone as far as the filter's columns are in it, and a row is read when it passes.
 */
export function scanPlans(own: SqlTable, action: ScanAction): ScanPlans {
  return { rows: rowsPlan(own, action), end: endPlan(own, action), whole: findPlan(own, action) };
}

function rowsPlan(own: SqlTable, action: ScanAction): SqlPlan {
  const { dialect, table } = own;
  const { where, filter, order, descending, select } = action;
  const covered = coveredBy(own.table, where, order);
  const judged = membersIn(filter).filter((member) => covered.has(member));
  const place = dialect.rowPlace?.(table);
  const key = place === undefined ? table.key : [];
  const walked = [...new Set([...key, ...judged, ...(dialect.keepsOrder ? [] : order)])];
  const text = new StatementText(own);
  const columns = walked.map((member) => own.nameOf('t0', member));
  const on = key.map((member) => `${own.nameOf('t1', member)} = ${own.nameOf('scanned', member)}`);
  if (place !== undefined) {
    columns.push(`t0.${place} AS place`);
    on.push(`t1.${place} = scanned.place`);
  }
  const range = rangeText(own, action, text, [], ({ maxScanned }) => maxScanned);
  const passes = text.where(
    filter,
    (one) => one.filter,
    (member) => (walked.includes(member) ? 'scanned' : 't1'),
  );
  const read = own.reader(select);
  const sorted = dialect.keepsOrder ? [] : order.map((member) => own.nameOf('scanned', member));
  const limit = text.bindLimit((one) => one.limit);
  return text.plan(
    `SELECT ${own.select('t1', select)}
      FROM (SELECT ${columns.join(', ')} FROM ${own.name} AS t0 ${range}) AS scanned CROSS JOIN ${own.name} AS t1
      WHERE ${on.join(' AND ')} AND ${passes}${orderText(sorted, descending)} LIMIT ${limit}`,
    { result: (rows) => rows.map((row) => read(row)), isPlannedEachTime: true },
  );
}

function endPlan(own: SqlTable, action: ScanAction): SqlPlan {
  const read = own.reader(action.order);
  const plan = findPlan(own, { ...action, kind: 'find', select: action.order, offset: 0 });
  return {
    ...plan,
    values: (one) => plan.values({ ...one, limit: 1, offset: (one as ScanAction).maxScanned - 1 }),
    result: ([row]) => row && read(row),
    isOneRow: true,
    isPlannedEachTime: true,
  };
}

/** The members in an index by which rows that meet these conditions can be walked in this order. */
function coveredBy({ indexes }: AnyTable, where: AnyWhere, order: readonly string[]): ReadonlySet<string> {
  const isMet = (condition: AnyWhere): boolean =>
    Object.entries(condition).every(
      ([member, match]) => shapeOfWhere({ [member]: match }) === shapeOfWhere({ [member]: where[member] }),
    );
  const walked = indexes.filter(
    (index) => isMet(index.where ?? {}) && order.every((member) => index.columns.includes(member)),
  );
  return new Set(walked.flatMap(({ columns, covers = [] }) => [...columns, ...covers]));
}
