import type { Comparison, RoleStore, Version } from '@pinfold/core';
import { parseJson } from '@pinfold/core/adapter';
import type { PostgresConnection } from '../engine/postgres-connection.ts';
import { prepared } from '../engine/statement.ts';
import type { Tables } from '../schema/tables.ts';
import { cleanup } from './role-store/cleanup.ts';
import { keys } from './role-store/keys.ts';
import { listing } from './role-store/listing.ts';
import { roles } from './role-store/roles.ts';

export function postgresRoleStore(connection: PostgresConnection, tables: Tables): RoleStore {
  return {
    ...keys(connection, tables),
    ...roles(connection, tables),
    ...listing(connection, tables),
    ...cleanup(connection, tables),
    ...comparison(connection, tables),
  };
}

export function comparison(
  connection: PostgresConnection,
  tables: Tables,
): Pick<RoleStore, 'loadComparison' | 'keepComparison'> {
  const statements = {
    load: prepared(`SELECT version, comparison FROM ${tables.comparison} WHERE one = 1`),
    keepFirst: prepared(`
      INSERT INTO ${tables.comparison} (one, version, comparison) VALUES (1, 1, $1) ON CONFLICT (one) DO NOTHING
      RETURNING version`),
    keep: prepared(`
      UPDATE ${tables.comparison} SET version = version + 1, comparison = $1 WHERE one = 1 AND version = $2
      RETURNING version`),
  };
  return {
    loadComparison: async () => {
      const [row] = await connection.read<{ version: Version; comparison: string }>(statements.load, []);
      return row && { version: row.version, value: parseJson(row.comparison) as Comparison };
    },
    keepComparison: async (comparison, loadedAt) => {
      const text = JSON.stringify(comparison);
      const { rows } = await (loadedAt === undefined
        ? connection.write<{ version: Version }>(statements.keepFirst, [text])
        : connection.write<{ version: Version }>(statements.keep, [text, loadedAt]));
      const [kept] = rows;
      return kept === undefined ? { kind: 'conflict' } : { kind: 'kept', version: kept.version };
    },
  };
}
