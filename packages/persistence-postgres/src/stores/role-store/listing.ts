import type { Role, RoleState, RoleStore } from '@pinfold/core';
import { BEFORE_ALL, MOST_SEARCHED, pageOf, type StoredRow } from '@pinfold/core/adapter';
import type { PostgresConnection } from '../../engine/postgres-connection.ts';
import { prepared, unprepared } from '../../engine/statement.ts';
import { ROLES } from '../../schema/columns.ts';
import type { Tables } from '../../schema/tables.ts';

/** The conditions of a list of roles. `$2` is the present instant; without a state it excludes deleted roles. */
const WANTED: Readonly<Record<RoleState | 'kept', string>> = {
  kept: 'deleted_at IS NULL AND $2::bigint IS NOT NULL',
  published: 'deleted_at IS NULL AND (expires_at IS NULL OR expires_at > $2)',
  expired: 'deleted_at IS NULL AND expires_at <= $2',
  deleted: 'deleted_at IS NOT NULL AND $2::bigint IS NOT NULL',
};

/** The conditions that an index serves; a search reads these rows. */
const LOOKED: Readonly<Record<RoleState | 'kept', string>> = {
  kept: 'deleted_at IS NULL',
  published: 'deleted_at IS NULL',
  expired: 'deleted_at IS NULL',
  deleted: 'deleted_at IS NOT NULL',
};

/** The roles of all accounts: `$1` is null. */
const OF_ALL = '$1::text IS NULL';

const NEWEST_FIRST = 'ORDER BY published_at DESC, id DESC';

/** A role that was found, or the last one looked at. */
type SearchRow = StoredRow<Role> & { readonly found: boolean };

/** The lists of an account's roles, and of all. A plan for unknown limits and cursors could sort all of them: pages are planned each time. */
export function listing(
  connection: PostgresConnection,
  { roles, idempotencyKeys }: Tables,
): Pick<RoleStore, 'list'> {
  const statements = {
    byKey: prepared(`
      SELECT ${ROLES.select} FROM ${roles} AS roles
      WHERE id = (SELECT role FROM ${idempotencyKeys} WHERE account = $1 AND key = $2)`),
    page: (state: RoleState | 'kept', owned: string) =>
      unprepared(`
        SELECT ${ROLES.select} FROM ${roles}
        WHERE ${owned} AND ${WANTED[state]} AND (published_at, id) < ($3, $4)
        ${NEWEST_FIRST} LIMIT $5`),
    // Also returns the last role read, so that results and cursor come from one snapshot.
    search: (state: RoleState | 'kept', owned: string) =>
      unprepared(`
        WITH looked AS (
          SELECT *, pg_catalog.row_number() OVER (${NEWEST_FIRST}) AS place FROM ${roles}
          WHERE ${owned} AND ${LOOKED[state]} AND (published_at, id) < ($3, $4)
          ${NEWEST_FIRST} LIMIT ${MOST_SEARCHED}
        ), found AS (
          SELECT * FROM looked
          WHERE ${WANTED[state]}
            AND (pg_catalog.strpos(title_folded, $6) > 0 OR pg_catalog.strpos(id, $6) > 0)
          ORDER BY place LIMIT $5
        )
        SELECT ${ROLES.select}, true AS found, place FROM found
        UNION ALL
        SELECT ${ROLES.select}, false AS found, place FROM looked WHERE place = ${MOST_SEARCHED}
        ORDER BY found DESC, place`),
  };
  return {
    list: async ({ account, idempotencyKey, now, state, search, after, limit }) => {
      if (idempotencyKey !== undefined) {
        const rows = await connection.read<StoredRow<Role>>(statements.byKey, [account, idempotencyKey]);
        return { items: rows.map(ROLES.read), next: undefined };
      }
      const { publishedAt, id } = after ?? BEFORE_ALL;
      const owned = account === undefined ? OF_ALL : 'account = $1';
      const values = [account ?? null, now, publishedAt, id, limit + 1];
      if (search === undefined) {
        const rows = await connection.read<StoredRow<Role>>(statements.page(state ?? 'kept', owned), values);
        return pageOf(rows.map(ROLES.read), limit);
      }
      // PostgreSQL has no text with this character, and rejects it in a parameter.
      if (search.includes('\0')) return { items: [], next: undefined };
      const rows = await connection.read<SearchRow>(statements.search(state ?? 'kept', owned), [
        ...values,
        search,
      ]);
      const found = rows.filter((row) => row.found).map(ROLES.read);
      const last = rows.find((row) => !row.found);
      return pageOf(found, limit, last && ROLES.read(last));
    },
  };
}
