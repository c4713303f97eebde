import type { AnyTable } from '@pinfold/core/records';
import { quoted, type SqlDialect } from '@pinfold/core/sql';

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
