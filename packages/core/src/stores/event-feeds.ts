import type { HistoryEvent } from '../domain/history.ts';
import type { AccountId } from '../domain/identity.ts';
import { notNull } from '../records/conditions.ts';
import { all } from '../records/joining.ts';
import type { Step, Steps } from '../records/step.ts';
import { get, insert, max } from '../records/steps.ts';
import { accountLock, SERVICE_LOCK } from '../records/tables/locks.ts';
import { EVENTS, FEED_BEGINS, type FeedBeginRow } from '../records/tables/service-tables.ts';

/** The ends of the feeds of the accounts of some events, in the order in which they first come. */
export type FeedEnds = readonly (readonly [number, FeedBeginRow | undefined])[];

function accountsOf(events: readonly HistoryEvent[]): readonly AccountId[] {
  return [...new Set(events.flatMap(({ account }) => account ?? []))];
}

/** The locks under which events are appended: those of their accounts, nearly always the one of the change. */
export function eventLocks(events: readonly HistoryEvent[]): readonly string[] {
  const ofService = events.some(({ account }) => account === null) ? [SERVICE_LOCK] : [];
  return [...accountsOf(events).map(accountLock), ...ofService];
}

/** Reads where the feeds of the accounts of some events end. */
export function feedEnds(events: readonly HistoryEvent[]): Step<FeedEnds, 'read'> {
  return all(
    ...accountsOf(events).map((account) =>
      all(
        max(EVENTS, { account, accountFeedNumber: notNull }, 'accountFeedNumber'),
        get(FEED_BEGINS, { account }),
      ),
    ),
  );
}

/** Appends events to the feeds of their accounts, whose locks keep others from appending. */
export function appended(events: readonly HistoryEvent[], ends: FeedEnds): readonly Step<void, 'write'>[] {
  const last = new Map(
    accountsOf(events).map((account, n) => {
      const [newest, begin] = ends[n] ?? [0, undefined];
      return [account, Math.max(newest, begin?.number ?? 0)];
    }),
  );
  return events.map((event) => {
    const { account } = event;
    const accountFeedNumber = account === null ? null : (last.get(account) ?? 0) + 1;
    if (account !== null && accountFeedNumber !== null) last.set(account, accountFeedNumber);
    return insert(EVENTS, { ...event, feedNumber: null, accountFeedNumber });
  });
}

/** Reads where feeds end, and appends events. */
export function* appendEvents(events: readonly HistoryEvent[]): Steps<void> {
  const ends = yield* feedEnds(events);
  yield* all(...appended(events, ends));
}
