import { type FeedId, type HistoryEvent, isSameActor } from '../../domain/history.ts';
import type { AccountId } from '../../domain/identity.ts';
import { type Instant, isRecent } from '../../domain/instant.ts';
import type { EventQuery, HistoryStore } from '../../ports/history-store.ts';
import { column, gt, gte, lte, oneOf, type Where } from '../../records/conditions.ts';
import type { Database } from '../../records/database.ts';
import { all, together } from '../../records/step.ts';
import { find, update } from '../../records/steps.ts';
import { accountLock } from '../../records/tables/locks.ts';
import { ROLES, type RoleRow } from '../../records/tables/role-tables.ts';
import { EVENTS } from '../../records/tables/service-tables.ts';
import { EVENT, eventLocks, feedEnds, insertEvents } from '../events.ts';
import { CHANGED, changeRoles, findRole, nextVersion } from '../role-rows.ts';
import { addChange, addChangeQuery, addQuery } from '../store-programs.ts';
import { readFeedPart } from './event-feed.ts';
import { removeExtraEvents, removeOldEvents } from './event-removal.ts';

/** The maximum number of expirations that one program records. Each may need the locks of two accounts. */
const RECORDED_AT_ONCE = 40;

/** Roles whose expiration has no event yet. A role that was stopped before its end does not expire. */
const UNRECORDED: Where<RoleRow> = {
  isExpiryRecorded: false,
  either: [{ deletedAt: null }, { deletedAt: gte(column('expiresAt')) }],
};
const EXPIRED = ['id', 'account', 'expiresAt'] as const;
const OWNED = ['id', 'account'] as const;
const RECORDED = ['id', 'account', 'expiresAt', 'version', 'lastEventAt'] as const;

const findExpired = addQuery('history.expired', ([by, limit]: Parameters<HistoryStore['expired']>) =>
  find(ROLES, { ...UNRECORDED, expiresAt: lte(by) }, { order: ['expiresAt'], limit, select: EXPIRED }),
);

const findOwners = addChangeQuery('history.owners', (events: readonly HistoryEvent[]) =>
  find(ROLES, { ...UNRECORDED, id: oneOf(pinsOf(events)) }, { select: OWNED }),
);

const recordExpirations = addChange('history.record_expirations', {
  locks: ([events, accounts]: readonly [readonly HistoryEvent[], readonly AccountId[]]) => ({
    exclusive: [...accounts.map(accountLock), ...eventLocks(events)],
  }),
  usesReserve: () => true,
  *run([events]) {
    const [roles, ends] = yield* together(
      find(ROLES, { ...UNRECORDED, id: oneOf(pinsOf(events)) }, { select: RECORDED }),
      feedEnds(events),
    );
    const recorded = roles.flatMap((role) => {
      // An erasure may have moved the role to another account since.
      const event = events.find(
        ({ pin, at, account }) => pin === role.id && at === role.expiresAt && account === role.account,
      );
      return event === undefined ? [] : [{ role, event }];
    });
    yield* all(
      ...recorded.map(({ role, event }) => {
        const lastEventAt = Math.max(role.lastEventAt, event.at) as Instant;
        const changes = { isExpiryRecorded: true, version: nextVersion(role), lastEventAt };
        return update(ROLES, { id: role.id }, changes);
      }),
      ...insertEvents(
        recorded.map(({ event }) => event),
        ends,
      ),
    );
  },
});

function pinsOf(events: readonly HistoryEvent[]): readonly RoleRow['id'][] {
  return events.flatMap(({ pin }) => pin ?? []);
}

/** Stores events of expirations, unless the role was changed or its expiration has an event already. */
async function storeExpirations(database: Database, events: readonly HistoryEvent[]): Promise<void> {
  for (let n = 0; n < events.length; n += RECORDED_AT_ONCE) {
    const batch = events.slice(n, n + RECORDED_AT_ONCE);
    const owners = await database.read(findOwners, batch);
    const accounts = new Map(owners.map(({ id, account }) => [id, account]));
    const own = batch.filter(({ pin }) => pin !== null && accounts.has(pin));
    if (own.length === 0) continue;
    await database.write(recordExpirations, [own, [...new Set(accounts.values())]]);
  }
}

const ALIKE = ['actor', 'recordedAt'] as const;

/** Reads one event more than the page holds, which shows whether another page follows. */
const listEvents = addQuery('history.list', ({ account, pin, since, after, limit }: EventQuery) =>
  find(
    EVENTS,
    { pin, account, at: since === undefined ? undefined : gte(since) },
    { order: ['at', 'id'], descending: true, after, limit: limit + 1, select: EVENT },
  ),
);

const recordOnce = addChange('history.record_once', {
  locks: ([event]: Parameters<HistoryStore['recordOnce']>) => ({ exclusive: eventLocks([event]) }),
  *run([event, unlessSince]) {
    const { type, actor, account, pin } = event;
    const [row, alike, ends] = yield* together(
      findRole(account, pin, CHANGED),
      find(EVENTS, { account, pin, type, at: gt(unlessSince) }, { select: ALIKE }),
      feedEnds([event]),
    );
    const isRecorded = alike.some(
      (known) => isSameActor(known.actor, actor) && isRecent(known.recordedAt, unlessSince, event.recordedAt),
    );
    if (row === undefined || isRecorded) return false;
    yield* all(...changeRoles([{ row, changes: {}, events: [event] }], ends));
    return true;
  },
});

/**
 * Stores the history in a database.
 *
 * @param newFeed makes the id of the feed of a new database.
 */
export function historyStore(database: Database, newFeed: () => FeedId): HistoryStore {
  return {
    list: async (query) => {
      const found = await database.read(listEvents, query);
      const items = found.slice(0, query.limit);
      const last = found.length > query.limit ? items.at(-1) : undefined;
      return { items, next: last && { at: last.at, id: last.id } };
    },
    feed: (query) => readFeedPart(database, newFeed, query),
    recordOnce: (...event) => database.write(recordOnce, event),
    expired: async (...expired) => {
      const found = await database.read(findExpired, expired);
      return found.flatMap(({ id: role, account, expiresAt }) =>
        expiresAt === null ? [] : [{ role, account, expiresAt }],
      );
    },
    recordExpired: (events) => storeExpirations(database, events),
    drop: (recordedBefore, limit) => removeOldEvents(database, recordedBefore, limit),
    trimEvents: (trimming) => removeExtraEvents(database, trimming),
  };
}
