import type { Mode } from '../../domain/admission.ts';
import type { EventId, FeedId, HistoryEvent } from '../../domain/history.ts';
import type { AccountId, Token } from '../../domain/identity.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Comparison } from '../../domain/reconciliation.ts';
import type { Version } from '../../ports/role-store.ts';
import { notNull } from '../conditions.ts';
import {
  type ColumnFor,
  defineTable,
  flag,
  integer,
  json,
  nullable,
  type RecordTable,
  sequence,
  text,
} from '../table.ts';
import {
  accountLock,
  COMPARISON_LOCK,
  EXPORT_LOCK,
  FEED_LOCK,
  IMPORT_LOCK,
  lockOf,
  MODE_LOCK,
  SERVICE_LOCK,
} from './locks.ts';

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
    { name: 'pin_feed', columns: ['pin', 'accountFeedNumber'], where: { pin: notNull }, since: 2 },
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

/** The row of a table that has at most one. */
export type OnlyRow<Members> = Members & { readonly id: 1 };

type OnlyRowTable<Members> = RecordTable<OnlyRow<Members>, 'id'>;

/** Defines a table of at most one row, with a lock of its own. */
function defineOnlyRow<Members>(
  name: string,
  lock: string,
  columns: NoInfer<{ readonly [Member in keyof Members]: ColumnFor<Members[Member]> }>,
): OnlyRowTable<Members> {
  const definition = { name, columns: { id: integer, ...columns }, key: ['id'], guards: () => [lock] };
  return defineTable(definition as never);
}

/** The id of the feed of this database. */
export const FEEDS: OnlyRowTable<{ readonly feed: FeedId }> = defineOnlyRow('feeds', FEED_LOCK, {
  feed: text,
});

/** The mode of the service; no row in the normal mode. */
export const MODES: OnlyRowTable<Mode> = defineOnlyRow('service_modes', MODE_LOCK, {
  kind: text,
  message: nullable(text),
});

/** The import that has not ended. */
export const UNFINISHED_IMPORTS: OnlyRowTable<{ readonly token: Token }> = defineOnlyRow(
  'unfinished_imports',
  IMPORT_LOCK,
  { token: text },
);

/** The last complete export of the schedule. */
export const SCHEDULED_EXPORTS: OnlyRowTable<{ readonly endedAt: Instant }> = defineOnlyRow(
  'scheduled_exports',
  EXPORT_LOCK,
  { endedAt: integer },
);

/** The progress of the comparison of storage with the records. */
export const COMPARISONS: OnlyRowTable<{ readonly version: Version; readonly comparison: Comparison }> =
  defineOnlyRow('comparisons', COMPARISON_LOCK, { version: integer, comparison: json });
