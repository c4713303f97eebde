import type { Lookup } from '../records/lookup.ts';
import type {
  AggregateAction,
  DistinctAction,
  FindAction,
  GetAction,
  MaxAction,
  ScanAction,
} from '../records/step.ts';
import type { AnyTable } from '../records/table.ts';
import { StatementText } from './condition-text.ts';
import { type LookupPlan, planOf, type SqlPlan, type Writing } from './sql-plan.ts';
import type { SqlRow, SqlTable } from './sql-table.ts';

const EVERY_ROW = Number.MAX_SAFE_INTEGER;

/** Rows of a table with those that they refer to, as the parts of a statement. */
export interface JoinedRows {
  readonly columns: string;
  /** The table `t0` with those that are joined. */
  readonly from: string;
  /** Reads what was found; undefined without a row. */
  read(row: SqlRow | undefined): { readonly row: unknown; readonly references: object } | undefined;
}

export function joinedRows(
  { tableOf }: Writing,
  table: AnyTable,
  { select, references = {} }: Pick<GetAction, 'select' | 'references'>,
): JoinedRows {
  const own = tableOf(table);
  const others = Object.entries(references).map(([member, columns], n) => {
    const to = tableOf((table.references[member] as () => AnyTable)());
    const [key = ''] = to.table.key;
    const [alias, prefix] = [`t${n + 1}`, `${n + 1} `];
    return {
      member,
      nullKey: prefix + key,
      // With its key, which tells whether there is such a row.
      select: to.select(alias, [...new Set([key, ...columns])], prefix),
      join: ` LEFT JOIN ${to.name} AS ${alias} ON ${to.nameOf(alias, key)} = ${own.nameOf('t0', member)}`,
      read: to.partReader(columns, prefix),
    };
  });
  const readOwn = own.partReader(select);
  return {
    columns: [own.select('t0', select), ...others.map((other) => other.select)].join(', '),
    from: `${own.name} AS t0${others.map(({ join }) => join).join('')}`,
    read: (row) => {
      if (row === undefined) return undefined;
      const found = others.map(({ member, nullKey, read }) => [
        member,
        row[nullKey] === null ? undefined : read(row),
      ]);
      return { row: readOwn(row), references: Object.fromEntries(found) };
    },
  };
}

export function getPlan(writing: Writing, action: GetAction): SqlPlan {
  const { table, select, references } = action;
  const own = writing.tableOf(table);
  const { columns, from, read } = joinedRows(writing, table, action);
  const readOwn = own.reader(select);
  const key = table.key.map(
    (member, n) => `${own.nameOf('t0', member)} = ${writing.dialect.parameter(n + 1)}`,
  );
  return {
    text: `SELECT ${columns} FROM ${from} WHERE ${key.join(' AND ')}`,
    result: ([row]) => (references === undefined ? row && readOwn(row) : read(row)),
    isOneRow: true,
    isPlannedEachTime: false,
    values: (action) => table.key.map((member) => (action as GetAction).key[member]),
  };
}

/** The name under which a row's key is answered beside its members. */
const KEY = '0 key';

/** The statements of a lookup. */
export function lookupPlan<Value>(
  writing: Writing,
  { table, by, make, ...selected }: Lookup<Value>,
): LookupPlan<Value> {
  const { dialect, tableOf } = writing;
  const { columns, from, read } = joinedRows(writing, table, selected);
  const key = tableOf(table).nameOf('t0', by);
  const parameter = dialect.parameter(1);
  return {
    text: `SELECT ${columns} FROM ${from} WHERE ${key} = ${parameter}`,
    textForKeys: `SELECT ${key} AS "${KEY}", ${columns} FROM ${from} WHERE ${dialect.isIn(key, parameter)}`,
    keyOf: (row) => String(row[KEY]),
    make: (row) => make(read(row) as never),
  };
}

export function findPlan({ dialect, tableOf }: Writing, action: FindAction): SqlPlan {
  const own = tableOf(action.table);
  const text = new StatementText(dialect);
  const read = own.reader(action.select);
  const has = { limit: action.limit !== undefined, offset: action.offset !== undefined };
  const range = rangeText(own, action, text, has);
  return planOf(`SELECT ${own.select('t0', action.select)} FROM ${own.name} AS t0 ${range}`, text, {
    result: (rows) => rows.map((row) => read(row)),
    isPlannedEachTime: action.limit !== undefined && action.limit > 1,
  });
}

/** The conditions of a range, behind one that is written already, its order and its limits. */
export function rangeText(
  own: SqlTable,
  action: FindAction | ScanAction,
  text: StatementText,
  has: { readonly limit: boolean; readonly offset: boolean },
  ...first: readonly string[]
): string {
  const { where, order = [], descending = false, after } = action;
  const columns = order.map((member: string) => own.nameOf('t0', member));
  const terms = [...first, whereText(own, where, text)];
  if (after !== undefined) {
    const place = order.map((member: string) => text.bind((action) => action.after[member]));
    terms.push(`${tuple(columns)} ${descending ? '<' : '>'} ${tuple(place)}`);
  }
  const isLimited = has.limit || has.offset;
  const limit = isLimited ? ` LIMIT ${text.bindLimit((action) => action.limit ?? EVERY_ROW)}` : '';
  const offset = has.offset ? ` OFFSET ${text.bind((action) => action.offset)}` : '';
  return `WHERE ${terms.join(' AND ')}${orderText(own, action, 't0')}${limit}${offset}`;
}

/** The order of a range, if it has one. */
export function orderText(
  own: SqlTable,
  { order = [], descending = false }: FindAction | ScanAction,
  alias: string,
): string {
  const direction = descending ? 'DESC' : 'ASC';
  const sorted = order.map((member: string) => `${own.nameOf(alias, member)} ${direction}`);
  return sorted.length === 0 ? '' : ` ORDER BY ${sorted.join(', ')}`;
}

export function aggregatePlan(
  { dialect, tableOf }: Writing,
  { table, where, sum }: AggregateAction,
): SqlPlan {
  const own = tableOf(table);
  const text = new StatementText(dialect);
  const total = sum === undefined ? '0' : dialect.wholeNumber(`coalesce(sum(${own.nameOf('t0', sum)}), 0)`);
  const rest = `FROM ${own.name} AS t0 WHERE ${whereText(own, where, text)}`;
  return planOf(`SELECT count(*) AS "count", ${total} AS "sum" ${rest}`, text, {
    result: ([row]) => ({ count: Number(row?.count), sum: Number(row?.sum) }),
    isOneRow: true,
  });
}

export function maxPlan({ dialect, tableOf }: Writing, { table, where, column }: MaxAction): SqlPlan {
  const own = tableOf(table);
  const text = new StatementText(dialect);
  // Not the first row in descending order, for which the row behind the index would be read.
  const greatest = `max(${own.nameOf('t0', column)}) AS "max"`;
  return planOf(`SELECT ${greatest} FROM ${own.name} AS t0 WHERE ${whereText(own, where, text)}`, text, {
    result: ([row]) => Number(row?.max ?? 0),
    isOneRow: true,
  });
}

export function distinctPlan(
  { dialect, tableOf }: Writing,
  { table, where, column, after }: DistinctAction,
): SqlPlan {
  const own = tableOf(table);
  const text = new StatementText(dialect);
  const name = own.nameOf('t0', column);
  const terms = [whereText(own, where, text), `${name} IS NOT NULL`];
  if (after !== undefined) terms.push(`${name} > ${text.bind((action) => action.after)}`);
  const limit = text.bindLimit((action) => action.limit);
  return planOf(
    `SELECT DISTINCT ${name} AS "value" FROM ${own.name} AS t0 WHERE ${terms.join(' AND ')}
      ORDER BY ${name} LIMIT ${limit}`,
    text,
    { result: (rows) => rows.map(({ value }) => value), isPlannedEachTime: true },
  );
}

function whereText(own: SqlTable, where: AggregateAction['where'], text: StatementText): string {
  const path = (action: AggregateAction): AggregateAction['where'] => action.where;
  return text.where(own, where, path, () => 't0');
}

function tuple(names: readonly string[]): string {
  return names.length === 1 ? `${names[0]}` : `(${names.join(', ')})`;
}
