import type { Mode } from '../../domain/admission.ts';
import type { EventId, FeedId, HistoryEvent } from '../../domain/history.ts';
import type { AccountId } from '../../domain/identity.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Token } from '../../ports/role-store.ts';
import { notNull } from '../conditions.ts';
import { defineTable, flag, integer, json, nullable, type RecordTable, sequence, text } from '../table.ts';
import { accountLock, EXPORT_LOCK, FEED_LOCK, IMPORT_LOCK, MODE_LOCK, SERVICE_LOCK } from './locks.ts';

/** An event with its places in the feeds. */
export interface EventRow extends HistoryEvent {
  /** Counts up with every event that is inserted. */
  readonly sequence: number;
  /** Its place in the feed of all accounts; null until it is assigned, and always where `sequence` is the place. */
  readonly feedNumber: number | null;
  /** Its place in the feed of its account; null without one. */
  readonly accountFeedNumber: number | null;
}

/** The history of all accounts. Events of no account come with a change of the service's mode. */
export const EVENTS: RecordTable<EventRow, 'at' | 'id', Record<never, never>, 'sequence'> = defineTable({
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
  guards: ({ account }) =>
    account === undefined ? [] : [account === null ? SERVICE_LOCK : accountLock(account)],
});

/** The last event that was dropped of an account's feed or, under the account '', of the feed of all accounts. */
export interface FeedBeginRow {
  readonly account: AccountId | '';
  readonly number: number;
  readonly event: EventId;
}

/** Where feeds begin whose first events were dropped. */
export const FEED_BEGINS: RecordTable<FeedBeginRow, 'account'> = defineTable({
  name: 'feed_begins',
  columns: { account: text, number: integer, event: text },
  key: ['account'],
  guards: ({ account }) => (account === undefined ? [] : [account === '' ? FEED_LOCK : accountLock(account)]),
});

/** The feed of this database: one row. */
export interface FeedRow {
  readonly id: 1;
  readonly feed: FeedId;
}

/** The id of the feed. */
export const FEEDS: RecordTable<FeedRow, 'id'> = defineTable({
  name: 'feeds',
  columns: { id: integer, feed: text },
  key: ['id'],
  guards: () => [FEED_LOCK],
});

/** The mode of the service: one row, or none while it is normal. */
export interface ModeRow extends Mode {
  readonly id: 1;
}

/** The mode of the service. */
export const MODES: RecordTable<ModeRow, 'id'> = defineTable({
  name: 'service_modes',
  columns: { id: integer, kind: text, message: nullable(text) },
  key: ['id'],
  guards: () => [MODE_LOCK],
});

/** The import that has not ended: one row, or none. */
export interface UnfinishedImportRow {
  readonly id: 1;
  readonly token: Token;
}

/** The import that has not ended. */
export const UNFINISHED_IMPORTS: RecordTable<UnfinishedImportRow, 'id'> = defineTable({
  name: 'unfinished_imports',
  columns: { id: integer, token: text },
  key: ['id'],
  guards: () => [IMPORT_LOCK],
});

/** The last complete export of the schedule: one row, or none before the first. */
export interface ScheduledExportRow {
  readonly id: 1;
  readonly endedAt: Instant;
}

/** The last complete export of the schedule. */
export const SCHEDULED_EXPORTS: RecordTable<ScheduledExportRow, 'id'> = defineTable({
  name: 'scheduled_exports',
  columns: { id: integer, endedAt: integer },
  key: ['id'],
  guards: () => [EXPORT_LOCK],
});
