import type {
  EventCursor,
  EventId,
  FeedId,
  FeedPlace,
  HistoryEvent,
  PublicationEvent,
} from '../domain/history.ts';
import type { AccountId, RoleId } from '../domain/identity.ts';
import type { Instant } from '../domain/instant.ts';
import type { Page } from './role-store.ts';

/** A query for events, newest first by (at, id). An undefined member does not filter. */
export interface EventQuery {
  readonly account: AccountId | undefined;
  readonly pin: RoleId | undefined;
  /** Events of this instant and later. */
  readonly since: Instant | undefined;
  readonly after: EventCursor | undefined;
  /** 1 to 100. */
  readonly limit: number;
}

/** A part of the history; `next` is absent at its end. */
export type EventPage = Page<HistoryEvent, EventCursor>;

/** A query for a part of a feed. */
export interface FeedQuery {
  /** The account of the feed; undefined for the feed of all accounts, which has numbers of its own. */
  readonly account: AccountId | undefined;
  readonly pin: RoleId | undefined;
  /** The number of the event after which to read; 0 for the beginning. */
  readonly after: number;
  /** 1 to 100. */
  readonly limit: number;
}

/** A part of a feed and the state of the feed, all of one instant. */
export interface FeedPart {
  readonly feed: FeedId;
  /** The place of the last event of the feed that was dropped. The feed begins after it. */
  readonly begin: FeedPlace;
  /** The place of the newest event; `begin` without one after it. */
  readonly last: FeedPlace;
  /** The event whose number is `after`, if it is in the feed. */
  readonly cursorEvent: EventId | undefined;
  readonly items: readonly { readonly number: number; readonly event: HistoryEvent }[];
}

/** An expired role without the event of its expiration. */
export interface ExpiredRole {
  readonly role: RoleId;
  readonly account: AccountId;
  readonly expiresAt: Instant;
}

/** The events to drop of roles that have too many. */
export interface EventTrimming {
  /** Only roles with an event recorded from this instant on and before `until` are searched. */
  readonly since: Instant;
  /** Only events recorded before this instant are dropped. */
  readonly until: Instant;
  /** The number of newest events of each role to keep, at least 1. */
  readonly keep: number;
  readonly limit: number;
}

/**
 * Lists the events that the other stores of the same database write with their changes, records expirations, and drops
 * old events. Requests bring the time.
 *
 * @promise history-store/with-publication: every peer sees a committed publication with its events; one that lost its lease, or was committed before, leaves none
 * @promise history-store/with-change: a saved change is stored with its events, and a conflict stores none; of many concurrent calls only the saved one does
 * @promise history-store/with-cleanup: settling a claim stores its events, and a lost claim stores none
 * @promise history-store/with-keys: creating or revoking a key stores its events; a key that exists, was revoked before or is unknown stores none
 * @promise history-store/with-accounts: a changed account is stored with its events, and a conflict stores none; of many concurrent calls only the saved one does
 * @promise history-store/with-sessions: a link, a session and its end leave their events, those of a redeemed link for its account and under the name of its creator; redeeming or ending again leaves none
 * @promise history-store/refused-sign-ins: of the refused sign-ins of an account, even concurrent ones, one event is stored until the instant has passed; other accounts have their own
 * @promise history-store/in-turn: each event of a role is at least a millisecond after the one before, even of concurrent changes
 */
export interface HistoryStore {
  /**
   * @promise history-store/list-order: events are listed newest first by (at, id), with every field
   * @promise history-store/list-pages: pages by cursor give every event exactly once, even of one instant and if others are stored meanwhile; the last page has no cursor
   * @promise history-store/list-filter: filters by account, by role and from an instant give exactly the events that match, alone and together
   */
  list(query: EventQuery): Promise<EventPage>;

  /**
   * Reads events in the order of their numbers, which begin at 1. Stores number committed events independently of clocks and
   * transaction ids, at the latest when the feed is read, even while the service is read-only.
   * @promise history-store/feed-order: the event of a change that was answered before another change began comes before the other's event; events of one role and of one change come in the order in which they were stored, not of their instants; every peer gives the same feed
   * @promise history-store/feed-once: readers that continue after the last number they were given get every event of many writers once and in one order; no event takes a number at or below one that was given
   * @promise history-store/feed-accounts: the feed of an account has only its events, numbered without gaps; the feed of all accounts has every event; a role's part has only the role's events; no event follows the last
   * @promise history-store/feed-begin: dropping events, even unread ones, moves the beginning of their account's feed and of all accounts' feed to the last dropped event; the feed has no events before it, and numbers are not used again
   * @promise history-store/feed-there: the event whose number is `after` is returned if the feed has it
   * @promise history-store/feed-id: peers return the same id of the feed, and another database another one
   */
  feed(query: FeedQuery): Promise<FeedPart>;

  /**
   * Stores an event of a role, unless there is one of the same actor, type and role after `unlessSince`. Returns whether it did.
   * @promise history-store/record-once: of many concurrent calls one stores the event, at least a millisecond after the last of its role; other actors, types and roles, and earlier events, do not prevent it; an unknown role stores none
   */
  recordOnce(event: PublicationEvent, unlessSince: Instant): Promise<boolean>;

  /** @promise history-store/expired: exactly the roles that expired by then and were not stopped before are returned, until their event is stored */
  expired(by: Instant, limit: number): Promise<readonly ExpiredRole[]>;

  /**
   * Stores the events of expirations, each with its role in `pin` and the expiration in `at`.
   * @promise history-store/tell-expired-once: an expiration has one event, at its instant, even after many concurrent or later calls; a role that does not expire then has none
   * @promise history-store/tell-expired-renewed: a role that was renewed after a clock ahead recorded its expiration expires again
   * @promise history-store/tell-expired-conflicts: the event raises the role's version, so that a change decided before it conflicts
   */
  recordExpired(events: readonly HistoryEvent[]): Promise<void>;

  /**
   * Drops events recorded before an instant, at most `limit`; returns how many: fewer than `limit` only when none is left.
   * @promise history-store/drop: exactly events recorded earlier are removed, of any instant, at most the limit, and the next event of a role is still after its last
   */
  drop(recordedBefore: Instant, limit: number): Promise<number>;

  /**
   * Drops events of roles with more than `keep`; returns how many: fewer than `limit` only when none is left.
   * @promise history-store/thin: exactly events beyond the newest of their role that were recorded before the instant are removed, at most the limit, only for roles with an event recorded within the period; events of no role stay
   */
  trimEvents(trimming: EventTrimming): Promise<number>;
}
