import type { Lookup } from '../records/program.ts';
import type {
  AggregateAction,
  DistinctAction,
  FindAction,
  GetAction,
  InsertAction,
  MaxAction,
  ScanAction,
  UpdateAction,
} from '../records/step.ts';
import type { AnyTable } from '../records/table.ts';
import type { SqlRow, SqlTable } from './sql-table.ts';
import {
  type AnyWhere,
  type Binder,
  membersIn,
  type SqlPlan,
  StatementText,
  shapeOfWhere,
} from './statement-text.ts';

const EVERY_ROW = Number.MAX_SAFE_INTEGER;

/** The parts of a statement that reads rows of a table, as `t0`, with the rows that they refer to. */
function joinedRows(
  sqlTable: SqlTable,
  { select, references = {} }: Pick<GetAction, 'select' | 'references'>,
) {
  const others = Object.entries(references).map(([member, columns], n) => {
    const to = sqlTable.reference(member);
    const [key = ''] = to.table.key;
    const [alias, prefix] = [`t${n + 1}`, `${n + 1} `];
    return {
      member,
      nullKey: prefix + key,
      // Selects the key as well: null if there is no such row.
      select: to.select(alias, [...new Set([key, ...columns])], prefix),
      join: ` LEFT JOIN ${to.name} AS ${alias} ON ${to.nameOf(alias, key)} = ${sqlTable.nameOf('t0', member)}`,
      read: to.partReader(columns, prefix),
    };
  });
  const readOwn = sqlTable.partReader(select);
  return {
    columns: [sqlTable.select('t0', select), ...others.map((other) => other.select)].join(', '),
    from: `${sqlTable.name} AS t0${others.map(({ join }) => join).join('')}`,
    read: (row: SqlRow | undefined) => {
      if (row === undefined) return undefined;
      const found = others.map(({ member, nullKey, read }) => [
        member,
        row[nullKey] === null ? undefined : read(row),
      ]);
      return { row: readOwn(row), references: Object.fromEntries(found) };
    },
  };
}

export function getPlan(sqlTable: SqlTable, action: GetAction): SqlPlan {
  const text = new StatementText(sqlTable);
  const { columns, from, read } = joinedRows(sqlTable, action);
  const readOwn = sqlTable.reader(action.select);
  return text.plan(`SELECT ${columns} FROM ${from} WHERE ${keyText(sqlTable, text, 't0')}`, {
    result: ([row]) => (action.references === undefined ? row && readOwn(row) : read(row)),
    isOneRow: true,
  });
}

/** The name of a row's key in the result of `textForKeys`. */
const KEY = '0 key';

/** The statements of a lookup. */
export interface LookupPlan<Value> {
  /** The statement for one key, its only parameter. */
  readonly text: string;
  /** The statement for several keys; its only parameter is their list. */
  readonly textForKeys: string;
  /** The key of a row from `textForKeys`. */
  keyOf(row: SqlRow): string;
  /** Makes the value from a row. */
  make(row: SqlRow): Value;
}

export function lookupPlan<Value>(
  sqlTable: SqlTable,
  { by, make, ...selected }: Lookup<Value>,
): LookupPlan<Value> {
  const { dialect } = sqlTable;
  const { columns, from, read } = joinedRows(sqlTable, selected);
  const key = sqlTable.nameOf('t0', by);
  const parameter = dialect.parameter(1);
  return {
    text: `SELECT ${columns} FROM ${from} WHERE ${key} = ${parameter}`,
    textForKeys: `SELECT ${key} AS "${KEY}", ${columns} FROM ${from} WHERE ${dialect.isIn(key, parameter)}`,
    keyOf: (row) => String(row[KEY]),
    make: (row) => make(read(row) as never),
  };
}

/** Finds the rows of a range; for a scan, those that pass its filter. */
export function findPlan(sqlTable: SqlTable, action: FindAction | ScanAction): SqlPlan {
  const text = new StatementText(sqlTable);
  const read = sqlTable.reader(action.select);
  const passes = action.kind === 'scan' ? [text.where(action.filter, ({ filter }) => filter)] : [];
  const range = rangeText(sqlTable, action, text, passes);
  return text.plan(`SELECT ${sqlTable.select('t0', action.select)} FROM ${sqlTable.name} AS t0 ${range}`, {
    result: (rows) => rows.map((row) => read(row)),
    isPlannedEachTime: action.kind === 'scan' || (action.limit !== undefined && action.limit > 1),
  });
}

/** Writes the conditions of a range, after the `first` ones that are written already, its order and its limits. */
function rangeText(
  sqlTable: SqlTable,
  { where, order = [], descending, after, limit, offset }: FindAction | ScanAction,
  text: StatementText,
  first: readonly string[] = [],
  limitOf: Binder = (action) => action.limit ?? EVERY_ROW,
): string {
  const columns = order.map((member: string) => sqlTable.nameOf('t0', member));
  const terms = [...first, text.where(where)];
  if (after !== undefined) {
    const place = order.map((member: string) => text.bind((action) => action.after[member]));
    terms.push(`${tuple(columns)} ${descending === true ? '<' : '>'} ${tuple(place)}`);
  }
  const end = limit === undefined && offset === undefined ? '' : ` LIMIT ${text.bindLimit(limitOf)}`;
  const start = offset === undefined ? '' : ` OFFSET ${text.bind((action) => action.offset)}`;
  return `WHERE ${terms.join(' AND ')}${orderText(columns, descending)}${end}${start}`;
}

function orderText(columns: readonly string[], descending = false): string {
  const direction = descending ? 'DESC' : 'ASC';
  const sorted = columns.map((name) => `${name} ${direction}`);
  return sorted.length === 0 ? '' : ` ORDER BY ${sorted.join(', ')}`;
}

export function aggregatePlan(sqlTable: SqlTable, { where, sum }: AggregateAction): SqlPlan {
  const text = new StatementText(sqlTable);
  const total =
    sum === undefined ? '0' : sqlTable.dialect.wholeNumber(`coalesce(sum(${sqlTable.nameOf('t0', sum)}), 0)`);
  const rest = `FROM ${sqlTable.name} AS t0 WHERE ${text.where(where)}`;
  return text.plan(`SELECT count(*) AS "count", ${total} AS "sum" ${rest}`, {
    result: ([row]) => ({ count: Number(row?.count), sum: Number(row?.sum) }),
    isOneRow: true,
  });
}

export function maxPlan(sqlTable: SqlTable, { where, column }: MaxAction): SqlPlan {
  const text = new StatementText(sqlTable);
  // An index answers max() alone; ORDER BY … DESC LIMIT 1 would also read the row.
  const greatest = `max(${sqlTable.nameOf('t0', column)}) AS "max"`;
  return text.plan(`SELECT ${greatest} FROM ${sqlTable.name} AS t0 WHERE ${text.where(where)}`, {
    result: ([row]) => Number(row?.max ?? 0),
    isOneRow: true,
  });
}

export function distinctPlan(sqlTable: SqlTable, { where, column, after }: DistinctAction): SqlPlan {
  const text = new StatementText(sqlTable);
  const name = sqlTable.nameOf('t0', column);
  const terms = [text.where(where), `${name} IS NOT NULL`];
  if (after !== undefined) terms.push(`${name} > ${text.bind((action) => action.after)}`);
  const rest = `FROM ${sqlTable.name} AS t0 WHERE ${terms.join(' AND ')} ORDER BY ${name}`;
  const limit = text.bindLimit((action) => action.limit);
  return text.plan(`SELECT DISTINCT ${name} AS "value" ${rest} LIMIT ${limit}`, {
    result: (rows) => rows.map(({ value }) => value),
    isPlannedEachTime: true,
  });
}

function tuple(names: readonly string[]): string {
  return names.length === 1 ? `${names[0]}` : `(${names.join(', ')})`;
}

export function insertPlan(sqlTable: SqlTable, { kind }: InsertAction): SqlPlan {
  const text = new StatementText(sqlTable);
  const members = sqlTable.members.filter((member) => sqlTable.column(member).column.type !== 'sequence');
  const values = members.map((member) => {
    const { write } = sqlTable.column(member);
    return text.bind(({ row }) => write(row[member]));
  });
  const names = members.map((member) => sqlTable.column(member).name);
  const key = sqlTable.table.key.map((member) => sqlTable.column(member).name);
  const others = names.filter((name) => !key.includes(name));
  const end =
    kind === 'insert' ? '' : ` ${sqlTable.dialect.onTakenKey?.(key, others) ?? onConflict(key, others)}`;
  return text.plan(`INSERT INTO ${sqlTable.name} (${names.join(', ')}) VALUES (${values.join(', ')})${end}`);
}

function onConflict(key: readonly string[], others: readonly string[]): string {
  const changes = others.map((name) => `${name} = excluded.${name}`).join(', ');
  return `ON CONFLICT (${key.join(', ')}) DO ${changes === '' ? 'NOTHING' : `UPDATE SET ${changes}`}`;
}

export function updatePlan(sqlTable: SqlTable, { changes }: UpdateAction): SqlPlan {
  const text = new StatementText(sqlTable);
  const set = Object.keys(changes).map((member) => {
    const { name, write } = sqlTable.column(member);
    return `${name} = ${text.bind((action) => write(action.changes[member]))}`;
  });
  return text.plan(`UPDATE ${sqlTable.name} SET ${set.join(', ')} WHERE ${keyText(sqlTable, text)}`);
}

export function removePlan(sqlTable: SqlTable): SqlPlan {
  const text = new StatementText(sqlTable);
  return text.plan(`DELETE FROM ${sqlTable.name} WHERE ${keyText(sqlTable, text)}`);
}

/** Writes the condition for a primary key. */
function keyText(sqlTable: SqlTable, text: StatementText, alias = ''): string {
  const terms = sqlTable.table.key.map(
    (member) => `${sqlTable.nameOf(alias, member)} = ${text.bind(({ key }) => key[member])}`,
  );
  return terms.join(' AND ');
}

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
