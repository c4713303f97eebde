import type { Role, RoleState, RoleStore } from '@pinfold/core';
import { MOST_SEARCHED, pageOf, placeOf, type StoredRow, startOf } from '@pinfold/core/adapter';
import { RANKS } from '@pinfold/core/internal';
import type { PostgresConnection } from '../../engine/postgres-connection.ts';
import { prepared, unprepared } from '../../engine/statement.ts';
import { ROLES } from '../../schema/columns.ts';
import type { Tables } from '../../schema/tables.ts';

/** The condition that an index serves; a search reads these rows. Without a state they are those not deleted. */
const looked = (state: RoleState | undefined): string =>
  `deleted_at IS ${state === 'deleted' ? 'NOT ' : ''}NULL`;

/** The condition of a state among these rows; `$2` is the present instant. */
function wanted(state: RoleState | undefined): string {
  if (state === 'published') return '(expires_at IS NULL OR expires_at > $2)';
  return state === 'expired' ? 'expires_at <= $2' : '$2::bigint IS NOT NULL';
}

/** The roles of all accounts: `$1` is null. */
const OF_ALL = '$1::text IS NULL';

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
    page: (state: RoleState | undefined, owned: string, rank: string) =>
      unprepared(`
        SELECT ${ROLES.select} FROM ${roles}
        WHERE ${owned} AND ${looked(state)} AND ${wanted(state)} AND (${rank}, id) < ($3, $4)
        ORDER BY ${rank} DESC, id DESC LIMIT $5`),
    // Also returns the last role read, so that results and cursor come from one snapshot.
    search: (state: RoleState | undefined, owned: string, rank: string) =>
      unprepared(`
        WITH looked AS (
          SELECT *, pg_catalog.row_number() OVER (ORDER BY ${rank} DESC, id DESC) AS place FROM ${roles}
          WHERE ${owned} AND ${looked(state)} AND (${rank}, id) < ($3, $4)
          ORDER BY ${rank} DESC, id DESC LIMIT ${MOST_SEARCHED}
        ), found AS (
          SELECT * FROM looked
          WHERE ${wanted(state)}
            AND (pg_catalog.strpos(title_folded, $6) > 0 OR pg_catalog.strpos(id, $6) > 0)
          ORDER BY place LIMIT $5
        )
        SELECT ${ROLES.select}, true AS found, place FROM found
        UNION ALL
        SELECT ${ROLES.select}, false AS found, place FROM looked WHERE place = ${MOST_SEARCHED}
        ORDER BY found DESC, place`),
  };
  return {
    list: async (query) => {
      const { account, idempotencyKey, now, state, search, order, limit } = query;
      if (idempotencyKey !== undefined) {
        const items = await connection.records(ROLES, statements.byKey, [account, idempotencyKey]);
        return { items, next: undefined };
      }
      const { rank, id } = startOf(query);
      const owned = account === undefined ? OF_ALL : 'account = $1';
      const kind = [state, owned, RANKS[order ?? 'newest']] as const;
      const values = [account ?? null, now, rank, id, limit + 1];
      if (search === undefined) {
        return pageOf(await connection.records(ROLES, statements.page(...kind), values), query);
      }
      // PostgreSQL has no text with this character, and rejects it in a parameter.
      if (search.includes('\0')) return { items: [], next: undefined };
      const rows = await connection.read<SearchRow>(statements.search(...kind), [...values, search]);
      const found = rows.filter((row) => row.found).map(ROLES.read);
      const last = rows.find((row) => !row.found);
      return pageOf(found, query, last && placeOf(ROLES.read(last), order));
    },
  };
}
