import type { AnyTable } from '@pinfold/core/records';
import { quoted, type SqlDialect } from '@pinfold/core/sql';

const TYPES = { text: 'TEXT', integer: 'INTEGER', flag: 'INTEGER', json: 'TEXT' } as const;

/**
 * A parameter that plans do not depend on. SQLite plans a statement anew whenever a parameter is bound that it has looked at
 * for a plan, even without statistics: a join or a limit takes ten times as long then. It does not look behind a sign, nor,
 * for a limit, into a sum.
 */
const UNSEEN = '+?';

/** How SQLite writes statements and tables. Texts are in UTF-8, whose bytes are in the order of code points. */
export const SQLITE: SqlDialect = {
  quote: quoted,
  table: quoted,
  parameter: () => UNSEEN,
  limit: (parameter) => `${parameter} + 0`,
  isIn: (column, parameter) => `${column} IN (SELECT value FROM json_each(${parameter}))`,
  list: JSON.stringify,
  contains: (column, parameter) => `instr(${column}, ${parameter}) > 0`,
  isFlag: (column, isSet) => `${column} = ${Number(isSet)}`,
  writeFlag: Number,
  readFlag: (value) => value === 1,
  wholeNumber: (sum) => sum,
  rowPlace: (table) => (isClustered(table) ? undefined : 'rowid'),
  keepsOrder: true,
  columnType: ({ type, isNullable }, name) => {
    // With this word a number is never used twice.
    if (type === 'sequence') return 'INTEGER PRIMARY KEY AUTOINCREMENT';
    const check = type === 'flag' ? ` CHECK (${name} IN (0, 1))` : '';
    return `${TYPES[type]}${isNullable ? '' : ' NOT NULL'}${check}`;
  },
  isSequenceKey: true,
  tableEnd: (table) => (isClustered(table) ? 'STRICT, WITHOUT ROWID' : 'STRICT'),
  // An index covers a statement only if it has the columns of its own condition, too.
  indexColumns: (columns, covers, compared) => {
    const also = covers.length === 0 ? [] : [...covers, ...compared];
    return `(${[...new Set([...columns, ...also])].join(', ')})`;
  },
};

/** The most columns beside a key by which rows are ordered: more of them may not fit into a quarter of a page. */
const MAX_BESIDE = 4;

/** Whether rows are in the order of their key: one of several columns, beside which the others are few and short. */
function isClustered({ columns, key }: AnyTable): boolean {
  const hasSequence = Object.values(columns).some(({ type }) => type === 'sequence');
  return key.length > 1 && !hasSequence && Object.keys(columns).length <= key.length + MAX_BESIDE;
}
