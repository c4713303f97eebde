import type { DayOfViews, ViewStore } from '@pinfold/core';
import type { PostgresConnection } from '../engine/postgres-connection.ts';
import { deleting, prepared } from '../engine/statement.ts';
import type { Tables } from '../schema/tables.ts';

export function postgresViewStore(connection: PostgresConnection, { views }: Tables): ViewStore {
  const statements = {
    // One order for all batches prevents deadlocks.
    add: prepared(`
      INSERT INTO ${views} AS kept (role, day, views, refused_passwords)
      SELECT role, day, pg_catalog.sum(views), pg_catalog.sum("refusedPasswords")
      FROM pg_catalog.json_to_recordset($1::json)
        AS counted (role text, day bigint, views bigint, "refusedPasswords" bigint)
      GROUP BY role, day ORDER BY role COLLATE "C", day
      ON CONFLICT (role, day) DO UPDATE
      SET views = kept.views + excluded.views,
        refused_passwords = kept.refused_passwords + excluded.refused_passwords`),
    list: prepared(`
      SELECT day, views, refused_passwords AS "refusedPasswords" FROM ${views}
      WHERE role = $1 AND day >= $2 ORDER BY day DESC`),
    drop: deleting(
      views,
      'role, day',
      `SELECT role, day FROM ${views} WHERE day < $1 ORDER BY day LIMIT $2 FOR UPDATE SKIP LOCKED`,
    ),
  };
  return {
    add: async (counted) => {
      if (counted.length === 0) return;
      await connection.write(statements.add, [JSON.stringify(counted)]);
    },
    list: (role, from) => connection.read<DayOfViews>(statements.list, [role, from]),
    drop: async (before, limit) => (await connection.write(statements.drop, [before, limit])).count,
  };
}
