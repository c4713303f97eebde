import type { FeedId } from '../../domain/history.ts';
import type { FeedPart, FeedQuery } from '../../ports/history-store.ts';
import { gt, gte, lte, type Match, notNull, type Where } from '../../records/conditions.ts';
import type { Database } from '../../records/database.ts';
import { all, nothing, type Step } from '../../records/step.ts';
import { find, get, insert, max, unlocked, update } from '../../records/steps.ts';
import { FEED_LOCK } from '../../records/tables/locks.ts';
import {
  EVENTS,
  type EventRow,
  FEED_BEGINS,
  FEEDS,
  UNFINISHED_IMPORTS,
} from '../../records/tables/service-tables.ts';
import { EVENT } from '../events.ts';
import { addChange, addQuery } from '../store-programs.ts';

const NUMBERED_AT_ONCE = 1_000;

const ID = ['id'] as const;
/** The columns of an event in a feed, by the column of its number. */
const PLACED = {
  accountFeedNumber: [...EVENT, 'accountFeedNumber'],
  feedNumber: [...EVENT, 'feedNumber'],
  sequence: [...EVENT, 'sequence'],
} as const;
/** The columns of only its id and number. */
const PLACES = {
  accountFeedNumber: ['id', 'accountFeedNumber'],
  feedNumber: ['id', 'feedNumber'],
  sequence: ['id', 'sequence'],
} as const;
const WAITING = ['at', 'id'] as const;

/** The column with the numbers of a feed. */
export type FeedColumn = 'accountFeedNumber' | 'feedNumber' | 'sequence';

/** The column of an account's feed, or of the feed of all, which is `sequence` if the database runs programs in turn. */
export function feedColumn(
  { isSerial }: Pick<Database, 'isSerial'>,
  account: FeedQuery['account'],
): FeedColumn {
  if (account !== undefined) return 'accountFeedNumber';
  return isSerial ? 'sequence' : 'feedNumber';
}

function numbered(column: FeedColumn, match: Match<number>): Where<EventRow> {
  return { [column]: match };
}

/** Reads whether events wait for their numbers, for {@link isBehind}. */
const behind = all(
  find(EVENTS, { feedNumber: null }, { limit: 1, select: ID }),
  get(UNFINISHED_IMPORTS, { id: 1 }),
);

type Behind = typeof behind extends Step<infer Found> ? Found : never;

/** Whether events wait for their numbers; never during an import, whose end numbers them. */
function isBehind([[unnumbered], unfinished]: Behind): boolean {
  return unnumbered !== undefined && unfinished === undefined;
}

const findBehind = addQuery('history.behind', () => behind);

/** Run this query as a snapshot, so that its steps read one state. */
const readFeed = addQuery('history.feed', function* ([query, column]: readonly [FeedQuery, FeedColumn]) {
  const { account, pin, after, limit } = query;
  // Compares the account as a range, so that the database uses the index by publication, which has fewer events.
  const owner = pin === undefined || account === undefined ? account : [gte(account), lte(account)];
  const page = (number: number) =>
    find(
      EVENTS,
      { pin, account: owner, ...numbered(column, gt(number)) },
      { order: [column], limit, select: PLACED[column] },
    );
  const [feed, beginRow, [newest], atCursor, behindRows, rows] = yield* all(
    get(FEEDS, { id: 1 }),
    get(FEED_BEGINS, { account: account ?? '' }),
    find(
      EVENTS,
      { account, ...numbered(column, notNull) },
      { order: [column], descending: true, limit: 1, select: PLACES[column] },
    ),
    find(EVENTS, { account, ...numbered(column, after) }, { limit: 1, select: ID }),
    column === 'feedNumber' ? behind : nothing,
    page(after),
  );
  const begin = { number: beginRow?.number ?? 0, event: beginRow?.event ?? null };
  const isDropped = after < begin.number;
  const items = isDropped ? yield* page(begin.number) : rows;
  const last = newest?.[column] ?? 0;
  return {
    feed: feed?.feed,
    isBehind: behindRows !== undefined && isBehind(behindRows),
    begin,
    last: newest !== undefined && last > begin.number ? { number: last, event: newest.id } : begin,
    cursorEvent: isDropped ? undefined : atCursor[0]?.id,
    items: items.map(({ [column]: number, ...event }) => ({ number: number ?? 0, event })),
  };
});

/**
 * Numbers committed events in the feed of all accounts, in the order in which they were inserted, and returns how many. An
 * event that is committed later gets a later number, even if it was inserted before.
 */
const numberEvents = addChange('history.number', {
  locks: () => ({ exclusive: [FEED_LOCK] }),
  *run() {
    const [waiting, last, begin] = yield* all(
      // Unlocked: only programs with FEED_LOCK number or remove committed events.
      unlocked(
        find(EVENTS, { feedNumber: null }, { order: ['sequence'], limit: NUMBERED_AT_ONCE, select: WAITING }),
      ),
      unlocked(max(EVENTS, { feedNumber: notNull }, 'feedNumber')),
      get(FEED_BEGINS, { account: '' }),
    );
    const end = Math.max(last, begin?.number ?? 0);
    yield* all(
      ...waiting.map(({ at, id }, n) => unlocked(update(EVENTS, { at, id }, { feedNumber: end + n + 1 }))),
    );
    return waiting.length;
  },
});

/** Begins the feed of a new database. */
const beginFeed = addChange('history.begin', {
  locks: () => ({ exclusive: [FEED_LOCK] }),
  *run(feed: FeedId) {
    if ((yield* get(FEEDS, { id: 1 })) === undefined) yield* insert(FEEDS, { id: 1, feed });
  },
});

/** Numbers all committed events in the feed of all accounts. */
export async function numberCommitted(database: Database): Promise<void> {
  if (!database.isSerial && isBehind(await database.read(findBehind, undefined))) await numberAll(database);
}

async function numberAll(database: Database): Promise<void> {
  while ((await database.write(numberEvents, undefined)) === NUMBERED_AT_ONCE) await database.pause();
}

/** Reads a part of a feed with the state of the feed. */
export async function readFeedPart(
  database: Database,
  newFeed: () => FeedId,
  query: FeedQuery,
): Promise<FeedPart> {
  const request = [query, feedColumn(database, query.account)] as const;
  let found = await database.snapshot(readFeed, request);
  if (found.feed === undefined) await database.write(beginFeed, newFeed());
  if (found.isBehind) await numberAll(database);
  if (found.feed === undefined || found.isBehind) found = await database.snapshot(readFeed, request);
  const { feed, begin, last, cursorEvent, items } = found;
  if (feed === undefined) throw new Error('the feed has no id');
  return { feed, begin, last, cursorEvent, items };
}
