import { setImmediate } from 'node:timers/promises';
import type { Page, Role, RoleCursor, RoleQuery, RoleState, RoleStore } from '@pinfold/core';
import { MOST_SEARCHED, pageOf, startOf } from '@pinfold/core/adapter';
import { RANKS } from '@pinfold/core/internal';
import type { Statements } from '../../engine/sqlite-connection.ts';
import { type Prepare, recordsOf } from '../../engine/sqlite-file.ts';
import { ROLES } from '../../schema/columns.ts';

/** Roles looked at by one statement: so long, and no longer, a page may keep the event loop. */
const LOOKED_AT = MOST_SEARCHED;

/** The condition of a state among the rows that are walked for it. */
function wantedOf(state: RoleState | undefined): string {
  if (state === 'published') return '(looked.ends IS NULL OR looked.ends > @now)';
  return state === 'expired' ? 'looked.ends <= @now' : 'TRUE';
}

const BY_KEY = `
  SELECT ${ROLES.select} FROM roles
  WHERE id = (SELECT role FROM idempotency_keys AS keys WHERE keys.account = ? AND keys.key = ?)`;

interface Looked {
  readonly roles: readonly Role[];
  /** The last role looked at, when that is not the end of the list. */
  readonly lookedTo: RoleCursor | undefined;
}

/** The lists of an account's roles, and of all. */
export function listing(connection: Statements): Pick<RoleStore, 'list'> {
  return {
    list: async (query) => {
      if (query.idempotencyKey !== undefined) {
        return connection.read((prepare) => findByKey(prepare, query));
      }
      // One more than the page holds tells whether there is more; only a search ends a page that is not full.
      const found: Role[] = [];
      let after = query.after;
      do {
        const wanted = query.limit + 1 - found.length;
        const looked = await connection.snapshot((prepare) => look(prepare, query, after, wanted));
        found.push(...looked.roles);
        after = looked.lookedTo;
        if (found.length > query.limit || query.search !== undefined) break;
        if (after !== undefined) await setImmediate();
      } while (after !== undefined);
      return pageOf(found, query, after);
    },
  };
}

function findByKey(prepare: Prepare, { account, idempotencyKey }: RoleQuery): Page<Role> {
  return { items: recordsOf(prepare, ROLES, BY_KEY, account, idempotencyKey), next: undefined };
}

/** Looks through the list after a cursor for at most `wanted` roles. It needs one snapshot for its two statements. */
function look(prepare: Prepare, query: RoleQuery, after: RoleCursor | undefined, wanted: number): Looked {
  const { account, now, search } = query;
  const { rank, id } = startOf({ ...query, after });
  const place = account === undefined ? { rank, id } : { account, rank, id };
  const filter = search === undefined ? { now } : { now, search };
  const values = { ...place, ...filter, lookedAt: LOOKED_AT, wanted };
  const roles = recordsOf(prepare, ROLES, matching(query), values);
  if (roles.length === wanted) return { roles, lookedTo: undefined };
  const lookedTo = prepare<RoleCursor>(endOfLook(query)).get({ ...place, skipped: LOOKED_AT - 1 });
  return { roles, lookedTo };
}

/** The walk reads an index alone; a role's row is fetched when its state is wanted. */
function matching(query: RoleQuery): string {
  const { state, search } = query;
  const found = 'AND (instr(roles.title_folded, @search) > 0 OR instr(roles.id, @search) > 0)';
  return `
    SELECT ${ROLES.select} FROM (${walk('rowid AS place, expires_at AS ends', query)} LIMIT @lookedAt) AS looked
    CROSS JOIN roles ON roles.rowid = looked.place
    WHERE ${wantedOf(state)} ${search === undefined ? '' : found}
    LIMIT @wanted`;
}

function endOfLook(query: RoleQuery): string {
  return `${walk(`${RANKS[query.order ?? 'newest']} AS rank, id`, query)} LIMIT 1 OFFSET @skipped`;
}

function walk(columns: string, { account, state, order }: RoleQuery): string {
  const rank = RANKS[order ?? 'newest'];
  const walked = `deleted_at IS ${state === 'deleted' ? 'NOT ' : ''}NULL`;
  return `
    SELECT ${columns} FROM roles
    WHERE ${account === undefined ? '' : 'account = @account AND'} ${walked} AND (${rank}, id) < (@rank, @id)
    ORDER BY ${rank} DESC, id DESC`;
}
