import { type Migration, SCHEMA_VERSIONS, type SchemaVersion } from '../adapter/migrations.ts';
import type { AnyTable, TableIndex } from '../records/table.ts';
import type { SqlDialect } from './dialect.ts';
import { SqlTable } from './sql-table.ts';
import { membersIn, StatementText } from './statement-text.ts';

/**
 * Writes the migrations of these tables, in order of version: the first creates the tables, each later one what the tables
 * have since then.
 *
 * @example
 * import { planMigrations } from '@pinfold/core/adapter';
 * import { TABLES } from '@pinfold/core/records';
 * import { migrationsTo, type SqlDialect } from '@pinfold/core/sql';
 *
 * declare const dialect: SqlDialect;
 *
 * const { steps } = planMigrations(undefined, migrationsTo(TABLES, dialect));
 * for (const { sql } of steps) for (const statement of sql) console.log(statement);
 */
export function migrationsTo(
  tables: readonly AnyTable[],
  dialect: SqlDialect,
): readonly Migration<readonly string[]>[] {
  return SCHEMA_VERSIONS.map((version) => ({ ...version, sql: statementsOf(tables, dialect, version) }));
}

function statementsOf(
  tables: readonly AnyTable[],
  dialect: SqlDialect,
  { version }: SchemaVersion,
): readonly string[] {
  return tables.flatMap((table) => {
    const sqlTable = new SqlTable(table, dialect);
    const indexes = indexesOf(sqlTable).filter(({ since = 1 }) => since === version);
    const created = indexes.map((index) => createIndex(sqlTable, index));
    return version === 1 ? [createTable(sqlTable), ...created] : created;
  });
}

/** No index is needed for the sequence if it is the primary key. */
function indexesOf({ table, sequenceKey }: SqlTable): AnyTable['indexes'] {
  return table.indexes.filter(({ columns }) => columns.join() !== sequenceKey);
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
