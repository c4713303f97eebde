import { MAX_RANK, MAX_SEARCHED, pageOf, startOf } from '../../adapter/pages.ts';
import type { RoleCursor } from '../../domain/cursor.ts';
import { instant } from '../../domain/instant.ts';
import { type Role, stateOf } from '../../domain/role.ts';
import type { Lease, Page, RoleQuery } from '../../ports/role-store.ts';
import {
  contains,
  gt,
  gte,
  lt,
  lte,
  type Match,
  notNull,
  oneOf,
  type Where,
} from '../../records/conditions.ts';
import type { Database } from '../../records/database.ts';
import type { Steps } from '../../records/step.ts';
import { find, getWith, scan } from '../../records/steps.ts';
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

/** The maximum number of roles of a state that are sorted for one page. */
const MAX_SORTED = 1_000;

interface ScanRequest {
  readonly query: RoleQuery;
  /** The maximum number of roles to return. */
  readonly wanted: number;
  /** Whether an earlier scan for this page has stopped. */
  readonly isContinued: boolean;
}

/** A part of a list; `scannedTo` is the last scanned role, or undefined at the end of the list or after `wanted` roles. */
interface ListedPart {
  readonly roles: readonly Role[];
  readonly scannedTo: RoleCursor | undefined;
}

/** Scans a list in its order. If that finds too few roles of a state, sorts those of the state, unless there are many. */
const scanRoles = addQuery('roles.scan', function* (request: ScanRequest): Steps<ListedPart, 'read'> {
  const { query, wanted, isContinued } = request;
  const { account, state, search, order: name = 'newest' } = query;
  const { rank, id } = startOf(query);
  const endingRank = endingRanks(query);
  const maySort = endingRank !== undefined && name !== 'ending' && !isContinued;
  const where: Where<RoleRow> = { account, deletedAt: state === 'deleted' ? notNull : null };
  const order = ORDERS[name];
  const [column] = order;
  const { rows: roles, scannedTo } = yield* scan(
    ROLES,
    name === 'ending' ? { ...where, endingRank } : where,
    filterOf(query),
    {
      order,
      descending: true,
      after: { publishedAt: instant(rank), endingRank: rank, archiveBytes: rank, id },
      limit: wanted,
      maxScanned: MAX_SEARCHED,
      mayScanMore: search === undefined && !maySort,
      select: ROLE,
    },
  );
  const last = scannedTo && { rank: scannedTo[column], id: scannedTo.id };
  const sorted = last && maySort ? yield* sortFew(query, last, wanted - roles.length) : undefined;
  if (sorted === undefined) return { roles, scannedTo: last };
  return { ...sorted, roles: [...roles, ...sorted.roles] };
});

/** Finds the next roles of a state after a place by the index of their ends. Undefined if many are in the state. */
function* sortFew(
  query: RoleQuery,
  after: RoleCursor,
  wanted: number,
): Steps<ListedPart | undefined, 'read'> {
  const { account, state, now, order: name = 'newest' } = query;
  const order = ORDERS[name];
  const [column] = order;
  const rows = yield* find(
    ROLES,
    { account, deletedAt: null, endingRank: endingRanks(query) },
    { order: ORDERS.ending, limit: MAX_SORTED + 1, select: order },
  );
  if (rows.length > MAX_SORTED) return undefined;
  const places = rows
    .map(({ [column]: rank, id }) => ({ rank, id }))
    .filter((place) => isBefore(after, place))
    .toSorted((one, other) => (isBefore(one, other) ? -1 : 1));
  const next = places.slice(0, wanted);
  const found = yield* find(ROLES, { id: oneOf(next.map(({ id }) => id)) }, { select: ROLE });
  const byId = new Map(found.map((role) => [role.id, role]));
  // A role may have changed since the first read.
  const roles = next
    .flatMap(({ id }) => byId.get(id) ?? [])
    .filter((role) => role.account === account && stateOf(role, now) === state);
  const isEnd = roles.length === wanted || next.length === places.length;
  return { roles, scannedTo: isEnd ? undefined : next.at(-1) };
}

function isBefore(one: RoleCursor, other: RoleCursor): boolean {
  return one.rank > other.rank || (one.rank === other.rank && one.id > other.id);
}

/** The ranks by expiration of an account's roles in a state; undefined if an index of these does not find them. */
function endingRanks({ account, state, search, now }: RoleQuery): Match<number> {
  if (account === undefined || search !== undefined) return undefined;
  if (state === 'published') return lt(MAX_RANK - now);
  return state === 'expired' ? gte(MAX_RANK - now) : undefined;
}

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
  let [{ after }, isContinued] = [query, false];
  for (;;) {
    // One role more than the page holds shows whether another page follows.
    const wanted = limit + 1 - found.length;
    const request = { query: { ...query, after }, wanted, isContinued };
    const { roles, scannedTo } = await database.read(scanRoles, request);
    found.push(...roles);
    if (scannedTo === undefined) return pageOf(found, query);
    await database.pause();
    if (search !== undefined) return pageOf(found, query, scannedTo);
    [after, isContinued] = [scannedTo, true];
  }
}
