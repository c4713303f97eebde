import type { Page, Role, RoleCursor, RoleQuery, RoleState } from '@pinfold/core';
import type { PostgresConnection } from '../postgres-connection.ts';
import { ROLE_COLUMNS, type RoleRow, roleOf } from '../rows.ts';
import { planned, prepared, type Statement } from '../statement.ts';
import type { Tables } from '../tables.ts';

/** Roles that one page of a search looks at. */
const LOOKED_AT = 2_000;

/** A cursor before all roles. */
const START = { publishedAt: Number.MAX_SAFE_INTEGER, id: '~' };

/** What is wanted of an account's roles: `$2` is the present instant. Without a state all but deleted ones are. */
const WANTED: Readonly<Record<RoleState | 'kept', string>> = {
  kept: 'deleted_at IS NULL AND $2::bigint IS NOT NULL',
  published: 'deleted_at IS NULL AND (expires_at IS NULL OR expires_at > $2)',
  expired: 'deleted_at IS NULL AND expires_at <= $2',
  deleted: 'deleted_at IS NOT NULL AND $2::bigint IS NOT NULL',
};

/** The part of it that an index is made for: a search looks at these. */
const LOOKED: Readonly<Record<RoleState | 'kept', string>> = {
  kept: 'deleted_at IS NULL',
  published: 'deleted_at IS NULL',
  expired: 'deleted_at IS NULL',
  deleted: 'deleted_at IS NOT NULL',
};

const NEWEST_FIRST = 'ORDER BY published_at DESC, id DESC';

/** The statements that list roles. */
export interface ListStatements {
  readonly byKey: Statement;
  readonly page: (state: RoleState | undefined) => Statement;
  readonly search: (state: RoleState | undefined) => Statement;
}

/** A plan for unknown limits and cursors could sort all of an account's roles, so pages are planned each time. */
export function listStatements({ roles, idempotencyKeys }: Tables): ListStatements {
  return {
    byKey: prepared(`
      SELECT ${ROLE_COLUMNS} FROM ${roles} AS roles
      WHERE id = (SELECT role FROM ${idempotencyKeys} WHERE account = $1 AND key = $2)`),
    page: (state = undefined) =>
      planned(`
        SELECT ${ROLE_COLUMNS} FROM ${roles}
        WHERE account = $1 AND ${WANTED[state ?? 'kept']} AND (published_at, id) < ($3, $4)
        ${NEWEST_FIRST} LIMIT $5`),
    // The last role looked at comes too, so that what is found and where to go on are of one moment.
    search: (state = undefined) =>
      planned(`
        WITH looked AS (
          SELECT *, pg_catalog.row_number() OVER (${NEWEST_FIRST}) AS place FROM ${roles}
          WHERE account = $1 AND ${LOOKED[state ?? 'kept']} AND (published_at, id) < ($3, $4)
          ${NEWEST_FIRST} LIMIT ${LOOKED_AT}
        ), found AS (
          SELECT * FROM looked
          WHERE ${WANTED[state ?? 'kept']}
            AND (pg_catalog.strpos(title_folded, $6) > 0 OR pg_catalog.strpos(id, $6) > 0)
          ORDER BY place LIMIT $5
        )
        SELECT ${ROLE_COLUMNS}, true AS found, place FROM found
        UNION ALL
        SELECT ${ROLE_COLUMNS}, false AS found, place FROM looked WHERE place = ${LOOKED_AT}
        ORDER BY found DESC, place`),
  };
}

interface SearchRow extends RoleRow {
  readonly found: boolean;
  readonly place: number;
}

export async function list(
  connection: PostgresConnection,
  statements: ListStatements,
  query: RoleQuery,
): Promise<Page<Role>> {
  const { account, idempotencyKey, now, state, search, limit } = query;
  if (idempotencyKey !== undefined) {
    const rows = await connection.read<RoleRow>(statements.byKey, [account, idempotencyKey]);
    return { items: rows.map(roleOf), next: undefined };
  }
  const { publishedAt, id } = query.after ?? START;
  const values = [account, now, publishedAt, id, limit + 1];
  if (search === undefined) {
    const rows = await connection.read<RoleRow>(statements.page(state), values);
    return pageOf(rows.map(roleOf), limit, undefined);
  }
  const rows = await connection.read<SearchRow>(statements.search(state), [...values, search]);
  const found = rows.filter((row) => row.found);
  return pageOf(
    found.map(foundRoleOf),
    limit,
    rows.find((row) => !row.found),
  );
}

function foundRoleOf({ found: _, place: __, ...row }: SearchRow): Role {
  return roleOf(row);
}

/** One role more than the page holds tells that there is more; else a search goes on behind the last one looked at. */
function pageOf(roles: readonly Role[], limit: number, lookedTo: RoleCursor | undefined): Page<Role> {
  const items = roles.slice(0, limit);
  const last = roles.length > limit ? items.at(-1) : lookedTo;
  return { items, next: last === undefined ? undefined : { publishedAt: last.publishedAt, id: last.id } };
}
