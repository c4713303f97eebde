import type { RoleCursor, RoleOrder } from '../domain/cursor.ts';
import type { RoleId } from '../domain/identity.ts';
import type { Role } from '../domain/role.ts';
import { foldForSearch } from '../domain/text.ts';
import type { Page, RoleQuery } from '../ports/role-store.ts';

/** The greatest rank. In the list by expiration, a role's rank is this minus its `expiresAt`, or 0 if it never expires. */
export const MAX_RANK: number = Number.MAX_SAFE_INTEGER;

/** The cursor of a role in a list, which has the largest rank first. */
export function roleCursorOf(role: Role, order: RoleOrder | undefined): RoleCursor {
  const { id, publishedAt, expiresAt, archiveBytes } = role;
  if (order === undefined) return { rank: publishedAt, id };
  if (order === 'largest') return { rank: archiveBytes, id };
  return { rank: expiresAt === null ? 0 : MAX_RANK - expiresAt, id };
}

/** The cursor that a page begins after. The list of published roles by expiration skips those that have expired. */
export function startOf({ after, order, state, now }: RoleQuery): RoleCursor {
  if (after !== undefined) return after;
  // Ids are UUIDs: all of them sort after '' and before '~'.
  const skipsExpired = order === 'ending' && state === 'published';
  return skipsExpired ? { rank: MAX_RANK - now, id: '' as RoleId } : { rank: MAX_RANK, id: '~' as RoleId };
}

/** The maximum number of roles that a search reads for one page. */
export const MAX_SEARCHED = 2_000;

/**
 * Makes a page of a list. Query one role more than the page holds: it shows whether another page follows.
 *
 * @param readTo the last role that a search read, if it stopped at {@link MAX_SEARCHED}.
 */
export function pageOf(
  roles: readonly Role[],
  { limit, order }: Pick<RoleQuery, 'limit' | 'order'>,
  readTo?: RoleCursor,
): Page<Role> {
  const items = roles.slice(0, limit);
  const last = roles.length > limit ? items.at(-1) : undefined;
  return { items, next: last === undefined ? readTo : roleCursorOf(last, order) };
}

/** Folds the title of a role for searches. Store the result with the role. */
export function titleFolded({ title }: Pick<Role, 'title'>): string {
  return title === null ? '' : foldForSearch(title);
}

/** Folds the original file name of a role for searches. Store the result with the role. */
export function filenameFolded({ originalFilename }: Pick<Role, 'originalFilename'>): string {
  return originalFilename === null ? '' : foldForSearch(originalFilename);
}
