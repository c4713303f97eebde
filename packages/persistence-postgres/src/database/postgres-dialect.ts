import { quoted, type SqlDialect } from '@pinfold/core/sql';

const TYPES = { text: 'text COLLATE "C"', integer: 'bigint', flag: 'boolean', json: 'text' } as const;

/**
 * Vacuums when 1 % of the rows are dead or 2 % are new, not 20 % as by default: programs update rows often. The fill factor
 * leaves room on the page for the next version of a row.
 */
const STORAGE =
  'fillfactor = 85, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.02';

/**
 * The SQL of PostgreSQL. The collation "C" sorts by code point on every server. JSON is stored as text, since it is only
 * read as a whole, and `jsonb` would not preserve it.
 */
export function postgresDialect(schema: string): SqlDialect {
  return {
    quote: quoted,
    table: (name) => `${quoted(schema)}.${quoted(name)}`,
    parameter: (place) => `$${place}`,
    isIn: (column, parameter) => `${column} = ANY (${parameter}::text[])`,
    list: (values) => values,
    contains: (column, parameter) => `pg_catalog.strpos(${column}, ${parameter}) > 0`,
    isFlag: (column, isSet) => (isSet ? column : `NOT ${column}`),
    writeFlag: (value) => value,
    readFlag: (value) => value === true,
    wholeNumber: (sum) => `CAST(${sum} AS bigint)`,
    joinKeepsSubqueryOrder: false,
    columnType: ({ type, isNullable }) => {
      if (type === 'sequence') return 'bigint GENERATED ALWAYS AS IDENTITY';
      return `${TYPES[type]}${isNullable ? '' : ' NOT NULL'}`;
    },
    sequenceIsPrimaryKey: false,
    tableEnd: () => `WITH (${STORAGE})`,
    indexColumns: (columns, covers) => {
      const included = covers.length === 0 ? '' : ` INCLUDE (${covers.join(', ')})`;
      return `(${columns.join(', ')})${included}`;
    },
  };
}
