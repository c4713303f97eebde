import type { AccountId, RoleId } from '../../domain/identity.ts';
import { type Duration, type Instant, minutes } from '../../domain/instant.ts';
import type { EventTrimming } from '../../ports/history-store.ts';
import { gte, lt, notNull, type Where } from '../../records/conditions.ts';
import type { Database } from '../../records/database.ts';
import { all, type Step, type Steps, together } from '../../records/step.ts';
import { distinct, find, get, remove, unlocked, upsert } from '../../records/steps.ts';
import { accountLock, FEED_LOCK, SERVICE_LOCK } from '../../records/tables/locks.ts';
import {
  EVENTS,
  type EventRow,
  FEED_BEGINS,
  type FeedBeginRow,
} from '../../records/tables/service-tables.ts';
import { addChange, addChangeQuery, ROW_LOCKS } from '../store-programs.ts';
import { type FeedColumn, feedColumn, numberCommitted } from './event-feed.ts';

/** The maximum number of accounts whose events one program removes: each needs a lock. */
const ACCOUNTS_AT_ONCE = ROW_LOCKS;
/** The maximum number of roles that one query finds, which reads all events of some time for that. */
const ROLES_AT_ONCE = 10_000;
const FOUND_WITHIN: Duration = minutes(1);
/** The maximum number of roles whose events one query reads. */
const READ_AT_ONCE = 100;

const NEWEST_FIRST = { order: ['at', 'id'], descending: true } as const;
const KEY = ['at', 'id'] as const;
const OWNED = [...KEY, 'account', 'pin'] as const;
const PLACED = [...KEY, 'account', 'sequence', 'feedNumber', 'accountFeedNumber'] as const;

type OwnedEvent = Pick<EventRow, (typeof OWNED)[number]>;
type PlacedEvent = Pick<EventRow, (typeof PLACED)[number]>;

/** The events to remove: recorded before an instant; with `roles`, only of these and without the newest `keep` of each. */
interface Choice {
  readonly recordedBefore: Instant;
  readonly roles?: { readonly ids: readonly RoleId[]; readonly keep: number };
  /** The column of the feed of all accounts. */
  readonly column: FeedColumn;
  readonly limit: number;
}

/** Runs first without locks to find the accounts, then again under their locks to choose the events to remove. */
function* choose<Selected extends keyof EventRow>(
  { recordedBefore, roles, column, limit }: Choice,
  select: readonly Selected[],
): Steps<readonly Pick<EventRow, Selected>[], 'read'> {
  // Leaves events without a number, since a feed cannot begin after them.
  const numbered = column === 'feedNumber' ? { feedNumber: notNull } : {};
  const old = { recordedAt: lt(recordedBefore), ...numbered };
  if (roles === undefined) {
    return yield* unlocked(find(EVENTS, old, { order: ['recordedAt'], limit, select }));
  }
  const { ids, keep } = roles;
  const extra = yield* together(...ids.map((pin) => chooseOfRole(pin, keep, old, { limit, select })));
  return extra.flat().slice(0, limit);
}

function* chooseOfRole<Selected extends keyof EventRow>(
  pin: RoleId,
  keep: number,
  old: Where<EventRow>,
  range: { readonly limit: number; readonly select: readonly Selected[] },
): Steps<readonly Pick<EventRow, Selected>[], 'read'> {
  // Unlocked: see choose.
  const last = { ...NEWEST_FIRST, offset: keep - 1, limit: 1, select: KEY };
  const [newest] = yield* unlocked(find(EVENTS, { pin }, last));
  if (newest === undefined) return [];
  return yield* unlocked(find(EVENTS, { ...old, pin }, { ...NEWEST_FIRST, after: newest, ...range }));
}

const chooseEvents = addChangeQuery('history.choose', (choice: Choice) => choose(choice, OWNED));

const findRecentRoles = addChangeQuery(
  'history.recent_roles',
  ([{ since, until }, after]: readonly [Pick<EventTrimming, 'since' | 'until'>, RoleId | undefined]) =>
    distinct(EVENTS, { recordedAt: [gte(since), lt(until)] }, 'pin', { after, limit: ROLES_AT_ONCE }),
);

/** Removes the chosen events of some accounts, and lets the feeds begin after them. Returns how many. */
const removeEvents = addChange('history.remove', {
  locks: ([, accounts]: readonly [Choice, readonly (AccountId | null)[]]) => ({
    exclusive: [FEED_LOCK, ...accounts.map((one) => (one === null ? SERVICE_LOCK : accountLock(one)))],
  }),
  usesReserve: () => true,
  *run([choice, accounts]) {
    const owners = accounts.filter((account) => account !== null);
    const [chosen, beginOfAll, begins] = yield* together(
      choose(choice, PLACED),
      get(FEED_BEGINS, { account: '' }),
      all(...owners.map((account) => get(FEED_BEGINS, { account }))),
    );
    const removed = chosen.filter(({ account }) => accounts.includes(account));
    yield* all(
      ...removed.map(({ at, id }) => remove(EVENTS, { at, id })),
      ...beginAfter('', removed, choice.column, beginOfAll),
      ...owners.flatMap((account, n) => {
        const events = removed.filter((event) => event.account === account);
        return beginAfter(account, events, 'accountFeedNumber', begins[n]);
      }),
    );
    return removed.length;
  },
});

/** Makes a feed begin after the last of its removed events, unless it does already. */
function beginAfter(
  account: AccountId | '',
  removed: readonly PlacedEvent[],
  column: FeedColumn,
  begin: FeedBeginRow | undefined,
): readonly Step<void, 'write'>[] {
  const number = removed.reduce((last, event) => Math.max(last, event[column] ?? 0), begin?.number ?? 0);
  const last = removed.filter((event) => event[column] === number);
  return last.map(({ id: event }) => upsert(FEED_BEGINS, { account, number, event }));
}

/** Removes events that were recorded before an instant. Returns how many: fewer than the limit only when none is left. */
export async function removeOldEvents(
  database: Database,
  recordedBefore: Instant,
  limit: number,
): Promise<number> {
  await numberCommitted(database);
  return removeChosen(database, { recordedBefore, column: feedColumn(database, undefined), limit });
}

/** Removes events of roles with many. Returns how many: fewer than the limit only when none is left. */
export async function removeExtraEvents(
  database: Database,
  { since, until, keep, limit }: EventTrimming,
): Promise<number> {
  await numberCommitted(database);
  const column = feedColumn(database, undefined);
  let [removed, from, after]: [number, Instant, RoleId | undefined] = [0, since, undefined];
  do {
    const to = Math.min(from + FOUND_WITHIN, until) as Instant;
    const within = { since: from, until: to };
    const found: readonly RoleId[] = await database.read(findRecentRoles, [within, after]);
    for (let n = 0; n < found.length && removed < limit; n += READ_AT_ONCE) {
      const roles = { ids: found.slice(n, n + READ_AT_ONCE), keep };
      removed += await removeChosen(database, {
        recordedBefore: until,
        roles,
        column,
        limit: limit - removed,
      });
    }
    after = found.length < ROLES_AT_ONCE ? undefined : found.at(-1);
    if (after === undefined) from = to;
    // Other callers run in between.
    await database.pause();
  } while (from < until && removed < limit);
  return removed;
}

/** Chooses events, locks their accounts, chooses again and removes, until the limit or until none is left. */
async function removeChosen(database: Database, choice: Choice): Promise<number> {
  let removed = 0;
  do {
    const chosen = await database.read(chooseEvents, { ...choice, limit: choice.limit - removed });
    if (chosen.length === 0) break;
    const accounts = [...new Set(chosen.map(({ account }) => account))].slice(0, ACCOUNTS_AT_ONCE);
    const other = chosen.findIndex(({ account }) => !accounts.includes(account));
    const first = other === -1 ? chosen : chosen.slice(0, other);
    const batch = { ...choice, ...rolesOf(choice, first), limit: first.length };
    removed += await database.write(removeEvents, [batch, accounts]);
    // Other callers run in between. If another node has removed these events, the next round chooses others.
    await database.pause();
  } while (removed < choice.limit);
  return removed;
}

function rolesOf({ roles }: Choice, events: readonly OwnedEvent[]): Pick<Choice, 'roles'> {
  if (roles === undefined) return {};
  return { roles: { ...roles, ids: [...new Set(events.flatMap(({ pin }) => pin ?? []))] } };
}
