import { eventPageOf } from '../../adapter/pages.ts';
import { type FeedId, isSameActor } from '../../domain/history.ts';
import type { EventQuery, HistoryStore } from '../../ports/history-store.ts';
import { gt, gte } from '../../records/conditions.ts';
import type { Database } from '../../records/database.ts';
import { all, together } from '../../records/joining.ts';
import { find } from '../../records/steps.ts';
import { EVENTS } from '../../records/tables/service-tables.ts';
import { EVENT, eventLocks, feedEnds } from '../events.ts';
import { CHANGED, changeRoles, findRole } from '../role-changes.ts';
import { StorePrograms } from '../store-programs.ts';
import { FEED_PROGRAMS, readFeedPart } from './event-feed.ts';
import { REMOVAL_PROGRAMS, removeExtraEvents, removeOldEvents } from './event-removal.ts';
import { EXPIRATION_PROGRAMS, listExpired, storeExpirations } from './expirations.ts';

export const HISTORY_PROGRAMS: StorePrograms = new StorePrograms(
  FEED_PROGRAMS,
  REMOVAL_PROGRAMS,
  EXPIRATION_PROGRAMS,
);

const ACTOR = ['actor'] as const;

/** One event more than the page holds shows whether another page follows. */
const listEvents = HISTORY_PROGRAMS.query(
  'history.list',
  ({ account, pin, since, after, limit }: EventQuery) =>
    find(
      EVENTS,
      { pin, account, at: since === undefined ? undefined : gte(since) },
      { order: ['at', 'id'], descending: true, after, limit: limit + 1, select: EVENT },
    ),
);

const recordOnce = HISTORY_PROGRAMS.change('history.record_once', {
  locks: ([event]: Parameters<HistoryStore['recordOnce']>) => ({ exclusive: eventLocks([event]) }),
  *run([event, unlessSince]) {
    const { type, actor, account, pin } = event;
    const [row, alike, ends] = yield* together(
      findRole(account, pin, CHANGED),
      find(EVENTS, { account, pin, type, at: gt(unlessSince) }, { select: ACTOR }),
      feedEnds([event]),
    );
    const isRecorded = alike.some((known) => isSameActor(known.actor, actor));
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
    list: async (query) => eventPageOf(await database.read(listEvents, query), query.limit),
    feed: (query) => readFeedPart(database, newFeed, query),
    recordOnce: (...event) => database.write(recordOnce, event),
    expired: (by, limit) => listExpired(database, by, limit),
    recordExpired: (events) => storeExpirations(database, events),
    drop: (recordedBefore, limit) => removeOldEvents(database, recordedBefore, limit),
    trimEvents: (trimming) => removeExtraEvents(database, trimming),
  };
}
