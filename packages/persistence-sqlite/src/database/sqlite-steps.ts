import {
  type AnyTable,
  type Program,
  runAtOnce,
  type ScanAction,
  type TableAction,
} from '@pinfold/core/records';
import { quoted, type SqlCompiler, type SqlDialect, type SqlPlan, type SqlRow } from '@pinfold/core/sql';
import type { SqliteFile } from '../engine/sqlite-file.ts';

/** Runs the steps of a program or query on a connection, synchronously. */
export function runSteps<Args, Result>(
  compiler: SqlCompiler,
  { name, run }: Pick<Program<Args, Result>, 'name' | 'run'>,
  args: Args,
  file: SqliteFile,
): Result {
  return runAtOnce(name, run(args), (action) => {
    if (action.kind === 'scan') return scan(compiler, action, file);
    const plan = compiler.planOf(action);
    return plan && runPlan(plan, action, file);
  });
}

function scan(compiler: SqlCompiler, action: ScanAction, file: SqliteFile): unknown {
  if (!file.isInTransaction()) return file.transaction('BEGIN', () => scan(compiler, action, file));
  const plans = compiler.scanPlansOf(action);
  const rows = runPlan(plans.rows, action, file) as readonly unknown[];
  if (rows.length === action.limit) return { rows, scannedTo: undefined };
  return { rows, scannedTo: runPlan(plans.end, action, file) };
}

function runPlan(
  { text, values, result, isOneRow }: SqlPlan,
  action: TableAction,
  file: SqliteFile,
): unknown {
  const statement = file.prepare<SqlRow>(text);
  if (result === undefined) return void statement.run(...values(action));
  if (!isOneRow) return result(statement.all(...values(action)));
  const row = statement.get(...values(action));
  return result(row === undefined ? [] : [row]);
}

const TYPES = { text: 'TEXT', integer: 'INTEGER', flag: 'INTEGER', json: 'TEXT' } as const;

/**
 * A parameter on which no plan depends. If SQLite uses the value of a parameter for the plan, it plans the statement again
 * whenever another value is bound, and a join or a limit takes ten times as long. It uses no value after a sign nor, for
 * a limit, in a sum.
 */
const PARAMETER = '+?';

/** The SQL of SQLite. Texts are in UTF-8, whose bytes sort in the order of code points. */
export const SQLITE: SqlDialect = {
  quote: quoted,
  table: quoted,
  parameter: () => PARAMETER,
  limit: (parameter) => `${parameter} + 0`,
  isIn: (column, parameter) => `${column} IN (SELECT value FROM json_each(${parameter}))`,
  list: JSON.stringify,
  contains: (column, parameter) => `instr(${column}, ${parameter}) > 0`,
  isFlag: (column, isSet) => `${column} = ${Number(isSet)}`,
  writeFlag: Number,
  readFlag: (value) => value === 1,
  wholeNumber: (sum) => sum,
  rowPlace: (table) => (isClustered(table) ? undefined : 'rowid'),
  joinKeepsSubqueryOrder: true,
  columnType: ({ type, isNullable }, name) => {
    // AUTOINCREMENT never uses a number twice.
    if (type === 'sequence') return 'INTEGER PRIMARY KEY AUTOINCREMENT';
    const check = type === 'flag' ? ` CHECK (${name} IN (0, 1))` : '';
    return `${TYPES[type]}${isNullable ? '' : ' NOT NULL'}${check}`;
  },
  sequenceIsPrimaryKey: true,
  tableEnd: (table) => (isClustered(table) ? 'STRICT, WITHOUT ROWID' : 'STRICT'),
  // A covering index needs the columns of its own condition, too.
  indexColumns: (columns, covers, compared) => {
    const also = covers.length === 0 ? [] : [...covers, ...compared];
    return `(${[...new Set([...columns, ...also])].join(', ')})`;
  },
};

/** Maximum other columns of a table without row ids: with more, rows may not fit into a quarter of a page. */
const MAX_OTHER_COLUMNS = 4;

/** Whether rows are stored in the order of their key (WITHOUT ROWID): if it has several columns, and few others follow. */
function isClustered({ columns, key }: AnyTable): boolean {
  const hasSequence = Object.values(columns).some(({ type }) => type === 'sequence');
  return key.length > 1 && !hasSequence && Object.keys(columns).length <= key.length + MAX_OTHER_COLUMNS;
}
