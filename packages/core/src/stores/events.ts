import type { HistoryEvent } from '../domain/history.ts';
import type { AccountId } from '../domain/identity.ts';
import { notNull } from '../records/conditions.ts';
import { all, type Step, type Steps, together } from '../records/step.ts';
import { get, insert, max } from '../records/steps.ts';
import { accountLock, SERVICE_LOCK } from '../records/tables/locks.ts';
import { EVENTS, FEED_BEGINS } from '../records/tables/service-tables.ts';

export const EVENT = [
  'id',
  'at',
  'type',
  'account',
  'pin',
  'name',
  'actor',
  'request',
  'address',
  'asOperator',
  'recordedAt',
] as const;

const NUMBER = ['number'] as const;

/** The number of the last event in the feed of each account. */
export type FeedEnds = ReadonlyMap<AccountId, number>;

/** The locks to append events: nearly always only that of the changed account. */
export function eventLocks(events: readonly HistoryEvent[]): readonly string[] {
  const isOfService = events.some(({ account }) => account === null);
  return [...accountsOf(events).map(accountLock), ...(isOfService ? [SERVICE_LOCK] : [])];
}

/** Reads where the feeds of the events' accounts end, for {@link insertEvents}. Run it together with other reads. */
export function* feedEnds(events: readonly HistoryEvent[]): Steps<FeedEnds, 'read'> {
  return new Map(yield* together(...accountsOf(events).map(feedEnd)));
}

function* feedEnd(account: AccountId): Steps<readonly [AccountId, number], 'read'> {
  const [last, begin] = yield* all(
    max(EVENTS, { account, accountFeedNumber: notNull }, 'accountFeedNumber'),
    get(FEED_BEGINS, { account }, NUMBER),
  );
  return [account, Math.max(last, begin?.number ?? 0)];
}

/**
 * The steps that append events to the history. Each is numbered in the feed of its account, whose lock lets no one else
 * append meanwhile; in the feed of all accounts it is numbered when that is read.
 */
export function insertEvents(
  events: readonly HistoryEvent[],
  ends: FeedEnds,
): readonly Step<void, 'write'>[] {
  const last = new Map(ends);
  return events.map((event) => {
    const { account } = event;
    if (account === null) return insert(EVENTS, { ...event, feedNumber: null, accountFeedNumber: null });
    const end = last.get(account);
    if (end === undefined) throw new Error('a feed was not read');
    const accountFeedNumber = end + 1;
    last.set(account, accountFeedNumber);
    return insert(EVENTS, { ...event, feedNumber: null, accountFeedNumber });
  });
}

/** Reads the ends of the feeds, then appends events: for a program that reads nothing else before. */
export function* appendEvents(events: readonly HistoryEvent[]): Steps<void> {
  yield* all(...insertEvents(events, yield* feedEnds(events)));
}

function accountsOf(events: readonly HistoryEvent[]): readonly AccountId[] {
  return [...new Set(events.flatMap(({ account }) => account ?? []))];
}
