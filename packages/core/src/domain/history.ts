import { type Actor, accountOfActor } from './actor.ts';
import { type CursorCodec, cursorCodec, type PlaceReaders, readInteger } from './cursor.ts';
import { type AccountId, type Branded, parseRoleId, type RoleId } from './identity.ts';
import type { Instant } from './instant.ts';
import type { PinName } from './name.ts';
import { expectStorable } from './text.ts';

/** The id of an event: a UUID in lower case. */
export type EventId = Branded<string, 'EventId'>;

export const EVENT_TYPES = [
  'pin.published',
  'pin.title_changed',
  'pin.password_set',
  'pin.password_removed',
  'pin.renewed',
  'pin.pinned',
  'pin.unpinned',
  'pin.stopped',
  'pin.grant_created',
  'pin.taken_down',
  'pin.expired',
  'pin.purged',
  'pin.archive_read',
  'key.agreed',
  'key.created',
  'key.revoked',
  'account.blocked',
  'account.unblocked',
  'account.limits_changed',
  'account.erased',
  'takedown.lifted',
  'service.mode_changed',
  'session.started',
  'session.ended',
  'session.refused',
  'link.created',
  'name.set',
  'name.deleted',
] as const;

/** The type of an event in the history. */
export type EventType = (typeof EVENT_TYPES)[number];

/** The event type of each change of a role. */
export type RoleEventType = Exclude<
  Extract<EventType, `pin.${string}`>,
  'pin.published' | 'pin.taken_down' | 'pin.expired' | 'pin.purged' | 'pin.archive_read'
>;

/** An event before it gets its id, cause and account. */
export interface EventDraft<Type extends EventType = EventType> {
  readonly type: Type;
  readonly at: Instant;
  readonly name?: PinName | null;
}

/** The actor of an event: a key by its id, a person or an operator by name, the system by its node. */
export interface EventActor {
  readonly kind: 'key' | 'person' | 'operator' | 'system';
  readonly id: string | null;
}

/** Whether two actors are the same; ids are unique only within a kind. */
export function isSameActor(one: EventActor, other: EventActor): boolean {
  return one.kind === other.kind && one.id === other.id;
}

/** The origin of a change, as the history records it. It gives no authority. */
export interface Cause {
  readonly actor: EventActor;
  readonly request?: string;
  /** The client's address, if the history records addresses. */
  readonly address?: string;
  /** Done with the operator's authority. Accounts see neither the actor nor the address. */
  readonly asOperator?: boolean;
}

/** The origin of a request. */
export type Origin = Pick<Cause, 'request' | 'address'>;

/** An event as it is stored. It never has a secret, a title, a file name or a password. */
export interface HistoryEvent extends EventDraft {
  readonly id: EventId;
  /** When it was recorded: later than `at` for an expiration. The history drops old events by this instant. */
  readonly recordedAt: Instant;
  /** Null for an event of the whole service. */
  readonly account: AccountId | null;
  readonly pin: RoleId | null;
  readonly name: PinName | null;
  readonly actor: EventActor;
  readonly request: string | null;
  readonly address: string | null;
  readonly asOperator: boolean;
}

/** An event of a publication. */
export interface PublicationEvent extends HistoryEvent {
  readonly account: AccountId;
  readonly pin: RoleId;
}

/** An event whose account and actor the store fills in. */
export type UnattributedEvent = Omit<HistoryEvent, 'account' | 'actor'>;

/** A place in the history, which has the newest first: after the event of that instant and id. */
export type EventCursor = Pick<HistoryEvent, 'at' | 'id'>;

export const BY_SYSTEM: Cause = { actor: { kind: 'system', id: null } };

export function causedBy(by: Actor | string): Cause {
  const id = accountOfActor(by) ?? null;
  return id === null
    ? { actor: { kind: 'operator', id }, asOperator: true }
    : { actor: { kind: 'person', id } };
}

/** @throws TypeError for an actor, a request or an address that some databases cannot store. */
export function expectCause(cause: Cause): Cause {
  const { actor, request = null, address = null } = cause;
  for (const text of [actor.id, request, address]) expectStorable(text, 'each part of a cause');
  return cause;
}

export function eventOf(
  ids: { event(): EventId },
  draft: EventDraft,
  cause: Cause,
  account: AccountId | null,
  pin: RoleId | null = null,
  recordedAt: Instant = draft.at,
): HistoryEvent {
  const { actor, request, address, asOperator = false } = expectCause(cause);
  return {
    ...draft,
    id: ids.event(),
    recordedAt,
    account,
    pin,
    name: draft.name ?? null,
    actor,
    request: request ?? null,
    address: address ?? null,
    asOperator,
  };
}

export function unattributed(
  ids: { event(): EventId },
  draft: EventDraft,
  origin?: Origin,
): UnattributedEvent {
  const { account: _, actor: __, ...event } = eventOf(ids, draft, { ...BY_SYSTEM, ...origin }, null);
  return event;
}

/** The id of a database's feed: 32 hexadecimal digits. An import begins a new feed. */
export type FeedId = Branded<string, 'FeedId'>;

/** A place in a feed: after the event of that number. At the beginning the number is 0 and the event null. */
export interface FeedPlace {
  readonly number: number;
  readonly event: EventId | null;
}

export interface FeedCursor extends FeedPlace {
  readonly feed: FeedId;
}

/** The cursors of an account's feed or, without an account, of the whole feed. */
export function feedCursors(account: AccountId | undefined): CursorCodec<FeedCursor> {
  const readers: PlaceReaders<FeedCursor> = {
    number: readInteger,
    event: (text) => (text === '' ? null : (parseRoleId(text) as EventId | undefined)),
    feed: (text) => (/^[0-9a-f]{32}$/.test(text) ? (text as FeedId) : undefined),
  };
  return cursorCodec(readers, ['feed', account]);
}
