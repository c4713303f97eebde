import type { Page, Role, RoleCursor, RoleQuery, RoleState } from '@pinfold/core';
import { ROLE_COLUMNS, type RoleRow, roleOf } from '../rows.ts';
import type { Prepare } from '../sqlite-file.ts';

/** Roles looked at by one statement: so long, and no longer, a page may keep the event loop. */
const LOOKED_AT = 2_000;

/** A cursor before all roles. */
const START = { publishedAt: Number.MAX_SAFE_INTEGER, id: '~' };

/** The index that is walked for a state, and what of it is wanted. Without a state all but deleted ones are. */
const STATES: Readonly<Record<RoleState | 'kept', { readonly walked: string; readonly wanted: string }>> = {
  kept: { walked: 'deleted_at IS NULL', wanted: 'TRUE' },
  published: {
    walked: 'deleted_at IS NULL',
    wanted: '(looked.expires_at IS NULL OR looked.expires_at > @now)',
  },
  expired: { walked: 'deleted_at IS NULL', wanted: 'looked.expires_at <= @now' },
  deleted: { walked: 'deleted_at IS NOT NULL', wanted: 'TRUE' },
};

const COLUMNS = ROLE_COLUMNS.map((column) => `roles.${column}`).join(', ');

const BY_KEY = `
  SELECT ${COLUMNS} FROM idempotency_keys JOIN roles ON roles.id = idempotency_keys.role
  WHERE idempotency_keys.account = ? AND idempotency_keys.key = ?`;

/** What was found, and the last role looked at when that is not the end of the list. */
export interface Looked {
  readonly roles: readonly Role[];
  readonly lookedTo: RoleCursor | undefined;
}

export function findByKey(prepare: Prepare, { account, idempotencyKey }: RoleQuery): Page<Role> {
  const row = prepare<RoleRow>(BY_KEY).get(account, idempotencyKey);
  return { items: row === undefined ? [] : [roleOf(row)], next: undefined };
}

/** Looks through the list after a cursor for at most `wanted` roles. It needs one snapshot for its two statements. */
export function look(
  prepare: Prepare,
  query: RoleQuery,
  after: RoleCursor | undefined,
  wanted: number,
): Looked {
  const { account, now, search } = query;
  const { publishedAt, id } = after ?? START;
  const place = { account, publishedAt, id };
  const { walked } = STATES[query.state ?? 'kept'];
  const filter = search === undefined ? { now } : { now, search };
  const rows = prepare<RoleRow>(matching(query)).all({ ...place, ...filter, lookedAt: LOOKED_AT, wanted });
  const roles = rows.map(roleOf);
  if (roles.length === wanted) return { roles, lookedTo: undefined };
  const lookedTo = prepare<RoleCursor>(endOfLook(walked)).get({ ...place, skipped: LOOKED_AT - 1 });
  return { roles, lookedTo };
}

/** The walk reads an index alone; a role's row is fetched when its state is wanted. */
function matching({ state, search }: RoleQuery): string {
  const { walked, wanted } = STATES[state ?? 'kept'];
  const found = 'AND (instr(roles.title_folded, @search) > 0 OR instr(roles.id, @search) > 0)';
  return `
    SELECT ${COLUMNS} FROM (${walk('rowid AS place, expires_at', walked)} LIMIT @lookedAt) AS looked
    CROSS JOIN roles ON roles.rowid = looked.place
    WHERE ${wanted} ${search === undefined ? '' : found}
    LIMIT @wanted`;
}

function endOfLook(walked: string): string {
  return `${walk('published_at AS publishedAt, id', walked)} LIMIT 1 OFFSET @skipped`;
}

function walk(columns: string, walked: string): string {
  return `
    SELECT ${columns} FROM roles
    WHERE account = @account AND ${walked} AND (published_at, id) < (@publishedAt, @id)
    ORDER BY published_at DESC, id DESC`;
}
