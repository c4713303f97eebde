import { eventPageOf } from '../../adapter/pages.ts';
import type { FeedId } from '../../domain/history.ts';
import type { EventQuery, HistoryStore } from '../../ports/history-store.ts';
import { gte } from '../../records/conditions.ts';
import type { Database } from '../../records/database.ts';
import { type AnyProgram, type AnyQuery, defineQuery } from '../../records/program.ts';
import { find } from '../../records/steps.ts';
import { EVENTS } from '../../records/tables/service-tables.ts';
import { EVENT } from '../events.ts';
import { FEED_PROGRAMS, readFeedPart } from './event-feed.ts';
import { RECORD_ONCE_PROGRAMS, recordOnce } from './event-once.ts';
import { REMOVAL_PROGRAMS, removeExtraEvents, removeOldEvents } from './event-removal.ts';
import { EXPIRATION_PROGRAMS, listExpired, storeExpirations } from './expirations.ts';

/** One event more than the page holds shows whether another page follows. */
const listEvents = defineQuery('history.list', ({ account, pin, since, after, limit }: EventQuery) =>
  find(
    EVENTS,
    { pin, account, at: since === undefined ? undefined : gte(since) },
    { order: ['at', 'id'], descending: true, after, limit: limit + 1, select: EVENT },
  ),
);

/** The programs of the history. */
export const HISTORY_PROGRAMS: readonly (AnyProgram | AnyQuery)[] = [
  listEvents,
  ...RECORD_ONCE_PROGRAMS,
  ...FEED_PROGRAMS,
  ...REMOVAL_PROGRAMS,
  ...EXPIRATION_PROGRAMS,
];

/**
 * Stores the history in a database.
 *
 * @param newFeed makes the id of the feed of a new database.
 */
export function historyStore(database: Database, newFeed: () => FeedId): HistoryStore {
  return {
    list: async (query) => eventPageOf(await database.read(listEvents, query), query.limit),
    feed: (query) => readFeedPart(database, newFeed, query),
    recordOnce: (event, unlessSince) => recordOnce(database, event, unlessSince),
    expired: (by, limit) => listExpired(database, by, limit),
    recordExpired: (events) => storeExpirations(database, events),
    drop: (recordedBefore, limit) => removeOldEvents(database, recordedBefore, limit),
    trimEvents: (trimming) => removeExtraEvents(database, trimming),
  };
}
