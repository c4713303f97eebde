import type { AnyTable, TableIndex } from '../records/table.ts';
import type { SqlDialect } from './dialect.ts';
import { SqlTable } from './sql-table.ts';
import { membersIn, StatementText } from './statement-text.ts';

/**
 * Writes the statements that create tables and their indexes, in order.
 *
 * @example
 * import { TABLES } from '@pinfold/core/records';
 * import { createTables, type SqlDialect } from '@pinfold/core/sql';
 *
 * declare const dialect: SqlDialect;
 *
 * for (const sql of createTables(TABLES, dialect)) console.log(sql);
 */
export function createTables(tables: readonly AnyTable[], dialect: SqlDialect): readonly string[] {
  return tables.flatMap((table) => {
    const sqlTable = new SqlTable(table, dialect);
    // No index is needed for the sequence if it is the primary key.
    const indexes = table.indexes.filter(({ columns }) => columns.join() !== sqlTable.sequenceKey);
    return [createTable(sqlTable), ...indexes.map((index) => createIndex(sqlTable, index))];
  });
}

function createTable(sqlTable: SqlTable): string {
  const { dialect, table } = sqlTable;
  const inKeys = new Set([...table.key, ...table.unique.flat()]);
  const columns = sqlTable.members.map((member) => {
    const { name, column } = sqlTable.column(member);
    return `${name} ${dialect.columnType(column, name, inKeys.has(member))}`;
  });
  const names = (members: readonly string[]): string =>
    members.map((member) => sqlTable.column(member).name).join(', ');
  const keys = [
    `${sqlTable.sequenceKey === undefined ? 'PRIMARY KEY' : 'UNIQUE'} (${names(table.key)})`,
    ...table.unique.map((members) => `UNIQUE (${names(members)})`),
  ];
  return `CREATE TABLE ${sqlTable.name} (${[...columns, ...keys].join(', ')}) ${dialect.tableEnd(table)}`;
}

function createIndex(
  sqlTable: SqlTable,
  { name, columns, covers = [], where }: TableIndex<Readonly<Record<string, unknown>>>,
): string {
  const { dialect } = sqlTable;
  const nameOf = (member: string): string => sqlTable.column(member).name;
  const text = new StatementText(sqlTable);
  const isWhole = where === undefined || dialect.indexesAllRows === true;
  const noAlias = (): string => '';
  const condition = isWhole ? '' : ` WHERE ${text.where(where, () => where, noAlias)}`;
  if (text.binders.length > 0)
    throw new TypeError(`the index ${name} of ${sqlTable.table.name} has a value in its condition`);
  const isText = (member: string): boolean => sqlTable.column(member).column.type === 'text';
  const texts = columns.filter(isText).length;
  const partOf = (member: string): string =>
    (isText(member) ? dialect.indexedText?.(nameOf(member), texts) : undefined) ?? nameOf(member);
  const indexColumns = dialect.indexColumns(
    columns.map(partOf),
    covers.map(nameOf),
    membersIn(where ?? {}).map(nameOf),
  );
  return `CREATE INDEX ${sqlTable.table.name}_${name} ON ${sqlTable.name} ${indexColumns}${condition}`;
}
