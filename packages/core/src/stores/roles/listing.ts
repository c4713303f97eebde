import { MAX_SEARCHED, pageOf, startOf } from '../../adapter/pages.ts';
import { instant } from '../../domain/instant.ts';
import type { Role } from '../../domain/role.ts';
import type { Lease, Page, RoleQuery } from '../../ports/role-store.ts';
import { contains, gt, lte, notNull, type Where } from '../../records/conditions.ts';
import type { Database } from '../../records/database.ts';
import { getWith, scan } from '../../records/steps.ts';
import { IDEMPOTENCY_KEYS, ROLES, type RoleRow } from '../../records/tables/role-tables.ts';
import { ROLE } from '../role-rows.ts';
import { addQuery } from '../store-programs.ts';

const SHOWN = { role: ROLE } as const;
const KEY = ['key'] as const;

const findByKey = addQuery('roles.find_by_key', function* (key: Pick<Lease, 'account' | 'key'>) {
  return (yield* getWith(IDEMPOTENCY_KEYS, key, SHOWN, KEY))?.references.role;
});

/** The columns of each order, which has the greatest first: a rank, and the id. */
const ORDERS = {
  newest: ['publishedAt', 'id'],
  ending: ['endingRank', 'id'],
  largest: ['archiveBytes', 'id'],
} as const;

/** Scans a list for at most `wanted` roles; `scannedTo` is the last scanned one, or undefined at the end of the list. */
const scanRoles = addQuery(
  'roles.scan',
  function* ([query, wanted]: readonly [query: RoleQuery, wanted: number]) {
    const { account, state, search, order: name = 'newest' } = query;
    const { rank, id } = startOf(query);
    const where: Where<RoleRow> = { account, deletedAt: state === 'deleted' ? notNull : null };
    const order = ORDERS[name];
    const [column] = order;
    const { rows: roles, scannedTo } = yield* scan(ROLES, where, filterOf(query), {
      order,
      descending: true,
      after: { publishedAt: instant(rank), endingRank: rank, archiveBytes: rank, id },
      limit: wanted,
      maxScanned: MAX_SEARCHED,
      mayScanMore: search === undefined,
      select: ROLE,
    });
    return { roles, scannedTo: scannedTo && { rank: scannedTo[column], id: scannedTo.id } };
  },
);

/** The conditions that the index does not answer: the end of a role, and the text to search for. */
function filterOf({ state, search, now }: RoleQuery): Where<RoleRow> {
  const text: readonly Where<RoleRow>[] =
    search === undefined
      ? []
      : [{ titleFolded: contains(search) }, { filenameFolded: contains(search) }, { id: contains(search) }];
  const either = text.length === 0 ? {} : { either: text };
  if (state === 'expired') return { expiresAt: lte(now), ...either };
  if (state !== 'published') return either;
  const ends: readonly Where<RoleRow>[] = [{ expiresAt: null }, { expiresAt: gt(now) }];
  if (text.length === 0) return { either: ends };
  return { either: ends.flatMap((end) => text.map((found) => ({ ...end, ...found }))) };
}

/** Lists roles. Only a page of a search may be short without being the last. */
export async function listRoles(database: Database, query: RoleQuery): Promise<Page<Role>> {
  const { account, idempotencyKey: key, search, limit } = query;
  if (key !== undefined) {
    const row = account && (await database.read(findByKey, { account, key }));
    return { items: row === undefined ? [] : [row], next: undefined };
  }
  // A database may refuse this character in a text, and no title, file name or id has it.
  if (search?.includes('\0')) return { items: [], next: undefined };
  const found: Role[] = [];
  let { after } = query;
  for (;;) {
    // One role more than the page holds shows whether another page follows.
    const wanted = limit + 1 - found.length;
    const { roles, scannedTo } = await database.read(scanRoles, [{ ...query, after }, wanted]);
    found.push(...roles);
    if (scannedTo === undefined) return pageOf(found, query);
    await database.pause();
    if (search !== undefined) return pageOf(found, query, scannedTo);
    after = scannedTo;
  }
}
