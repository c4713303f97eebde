import type { ScanAction } from '../records/step.ts';
import { membersIn } from './condition-shape.ts';
import { StatementText } from './condition-text.ts';
import { orderText, rangeText } from './read-statements.ts';
import { planOf, type SqlPlan, type Writing } from './sql-plan.ts';

/**
 * A scan in statements. Its result is `{ rows, scannedTo }`: the `rows`, and the `end` if they are fewer than the limit;
 * both statements have to see one state. An engine that may scan more (`mayScanMore`) can run `whole` instead of both, with
 * `scannedTo` undefined.
 */
export interface ScanPlans {
  /** Finds the rows that pass, of the number of rows that are scanned at most. */
  readonly rows: SqlPlan;
  /** Finds the place of the last row that was scanned, in the state of the other statement. It is needed if fewer rows
   * pass than wanted. */
  readonly end: SqlPlan;
  /** Finds the rows that pass, however many are scanned: for a scan that may, where the engine lets it. */
  readonly whole: SqlPlan;
}

/**
 * Two statements for a scan that is bounded, since a common table expression that both parts used would always be walked
 * to its end. The walk reads an index alone as far as the filter's columns are in it, and a row is read when it passes.
 */
export function scanPlans(writing: Writing, action: ScanAction): ScanPlans {
  return {
    rows: rowsPlan(writing, action),
    end: endPlan(writing, action),
    whole: wholePlan(writing, action),
  };
}

function rowsPlan({ dialect, tableOf }: Writing, action: ScanAction): SqlPlan {
  const own = tableOf(action.table);
  const covered = own.coveredBy(action.where, action.order);
  const isCovered = (member: string): boolean => covered.has(member);
  const judged = membersIn(action.filter).filter(isCovered);
  const place = dialect.rowPlace?.(own.table);
  const key = place === undefined ? own.table.key : [];
  const walked = [...new Set([...key, ...judged, ...(dialect.keepsOrder ? [] : action.order)])];
  const text = new StatementText(dialect);
  const columns = [
    ...walked.map((member) => own.nameOf('t0', member)),
    ...(place === undefined ? [] : [`t0.${place} AS place`]),
  ].join(', ');
  const range = rangeText(own, action, text, { limit: true, offset: false });
  const on =
    place === undefined
      ? key.map((member) => `${own.nameOf('t1', member)} = ${own.nameOf('scanned', member)}`)
      : [`t1.${place} = scanned.place`];
  const passes = text.where(
    own,
    action.filter,
    ({ filter }: ScanAction) => filter,
    (member) => (walked.includes(member) ? 'scanned' : 't1'),
  );
  const read = own.reader(action.select);
  const orderBy = dialect.keepsOrder ? '' : orderText(own, action, 'scanned');
  const limit = text.bindLimit(({ wanted }) => wanted);
  const plan = planOf(
    `SELECT ${own.select('t1', action.select)}
      FROM (SELECT ${columns} FROM ${own.name} AS t0 ${range}) AS scanned CROSS JOIN ${own.name} AS t1
      WHERE ${on.join(' AND ')} AND ${passes}${orderBy} LIMIT ${limit}`,
    text,
    { result: (rows) => rows.map((row) => read(row)), isPlannedEachTime: true },
  );
  return withAction(plan, (one) => ({ ...one, limit: one.maxScanned, wanted: one.limit }));
}

function endPlan({ dialect, tableOf }: Writing, action: ScanAction): SqlPlan {
  const own = tableOf(action.table);
  const text = new StatementText(dialect);
  const range = rangeText(own, action, text, { limit: true, offset: true });
  const read = own.reader(action.order);
  const plan = planOf(`SELECT ${own.select('t0', action.order)} FROM ${own.name} AS t0 ${range}`, text, {
    result: ([row]) => row && read(row),
    isOneRow: true,
    isPlannedEachTime: true,
  });
  return withAction(plan, (one) => ({ ...one, limit: 1, offset: one.maxScanned - 1 }));
}

function wholePlan({ dialect, tableOf }: Writing, action: ScanAction): SqlPlan {
  const own = tableOf(action.table);
  const text = new StatementText(dialect);
  const selected = own.select('t0', action.select);
  const passes = text.where(
    own,
    action.filter,
    ({ filter }: ScanAction) => filter,
    () => 't0',
  );
  const range = rangeText(own, action, text, { limit: true, offset: false }, passes);
  const read = own.reader(action.select);
  return planOf(`SELECT ${selected} FROM ${own.name} AS t0 ${range}`, text, {
    result: (rows) => rows.map((row) => read(row)),
    isPlannedEachTime: true,
  });
}

function withAction(plan: SqlPlan, prepare: (action: ScanAction) => object): SqlPlan {
  return { ...plan, values: (action) => plan.values(prepare(action as ScanAction)) };
}
