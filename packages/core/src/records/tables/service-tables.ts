import type { EventId, HistoryEvent } from '../../domain/history.ts';
import type { AccountId } from '../../domain/identity.ts';
import { notNull } from '../conditions.ts';
import { defineTable, flag, integer, json, nullable, type RecordTable, sequence, text } from '../table.ts';
import { accountLock, FEED_LOCK, lockOf, SERVICE_LOCK } from './locks.ts';

/** An event with its places in the feeds. */
export interface EventRow extends HistoryEvent {
  /** Counts up with every event that is inserted. */
  readonly sequence: number;
  /** Its place in the feed of all accounts; null until it is assigned, and always if `sequence` is the place. */
  readonly feedNumber: number | null;
  /** Its place in the feed of its account; null without one. */
  readonly accountFeedNumber: number | null;
}

/** The history of all accounts. Only changes of the service's mode have events of no account. */
export const EVENTS: RecordTable<EventRow, 'at' | 'id', object, 'sequence'> = defineTable({
  name: 'events',
  columns: {
    at: integer,
    id: text,
    type: text,
    account: nullable(text),
    pin: nullable(text),
    name: nullable(text),
    actor: json,
    request: nullable(text),
    address: nullable(text),
    asOperator: flag,
    recordedAt: integer,
    sequence,
    feedNumber: nullable(integer),
    accountFeedNumber: nullable(integer),
  },
  key: ['at', 'id'],
  indexes: [
    { name: 'of_account', columns: ['account', 'at', 'id'] },
    { name: 'of_pin', columns: ['pin', 'at', 'id'], where: { pin: notNull } },
    { name: 'recorded', columns: ['recordedAt'] },
    { name: 'unnumbered', columns: ['sequence'], where: { feedNumber: null } },
    { name: 'feed', columns: ['feedNumber'], where: { feedNumber: notNull } },
    {
      name: 'account_feed',
      columns: ['account', 'accountFeedNumber'],
      where: { accountFeedNumber: notNull },
    },
  ],
  guards: ({ account }) => (account === null ? [SERVICE_LOCK] : lockOf(accountLock, account)),
});

/** The last event that was dropped from an account's feed or, under the account '', from the feed of all accounts. */
export interface FeedBeginRow {
  readonly account: AccountId | '';
  readonly number: number;
  readonly event: EventId;
}

/** The beginnings of feeds whose first events were dropped. */
export const FEED_BEGINS: RecordTable<FeedBeginRow, 'account'> = defineTable({
  name: 'feed_begins',
  columns: { account: text, number: integer, event: text },
  key: ['account'],
  guards: ({ account }) => (account === '' ? [FEED_LOCK] : lockOf(accountLock, account)),
});
