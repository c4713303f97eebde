import { type ListScope, listedAccount, OPERATOR } from '../domain/actor.ts';
import { cursorCodec, type PlaceReaders, readInstant } from '../domain/cursor.ts';
import {
  BY_SYSTEM,
  type Cause,
  type EventCursor,
  type EventId,
  eventOf,
  type HistoryEvent,
} from '../domain/history.ts';
import { parseRoleId, type RoleId } from '../domain/identity.ts';
import { before, type Duration, days, type Instant, minutes } from '../domain/instant.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import { createFeed, type Feed } from './feed.ts';
import { type PageOutcome, type PageRequest, readPage } from './paging.ts';
import { inBatches, type RemovalPorts, removalInstant } from './removal.ts';

/** A page of the history to read. */
export interface EventListRequest extends PageRequest, ListScope {
  readonly pin?: RoleId;
  /** Only events from this instant on. */
  readonly since?: Instant;
}

/** The options of a sweep of the history. */
export interface HistorySweep {
  /** The cause of expiration events. Default: the system. */
  readonly cause?: Cause;
  readonly signal?: AbortSignal;
}

/** Reads the history, and removes old events. */
export interface History extends Feed {
  /** Reads a page, newest first. Accounts do not see the operator's name and address. */
  list(request: EventListRequest): Promise<PageOutcome<'events', HistoryEvent>>;

  /**
   * Records expirations, drops old events, revoked keys, titles of ended publications, and ended sessions, links and
   * registrations of programs, and drops the oldest events of publications with more than 10,000, each for at most a minute.
   * Does nothing while the service is read-only, or on a node whose clock differs from the database's by more than 60 s.
   * Call it before each `cleanUp`, on any number of nodes.
   */
  sweep(options?: HistorySweep): Promise<void>;
}

/** The ports of `createHistory`. */
export interface HistoryPorts extends Pick<AllPorts, 'history' | 'mode' | 'ids'>, RemovalPorts {
  readonly roles: RemovalPorts['roles'] & Pick<AllPorts['roles'], 'dropTitles'>;
  /** Absent: revoked keys are not removed. */
  readonly apiKeys?: Pick<AllPorts['apiKeys'], 'purge'>;
  /** Absent: ended sessions and links are not removed. */
  readonly sessions?: Pick<AllPorts['sessions'], 'purge'>;
  /** Absent: ended registrations of programs are not removed. */
  readonly pairings?: Pick<AllPorts['pairings'], 'purge'>;
}

/** Options of `createHistory`. */
export interface HistoryOptions {
  /** How long events, revoked keys and titles of ended publications are stored. Default 400 days. */
  readonly retention?: Duration | undefined;
  /** Aborts when the service stops: waiting requests get an empty page, and iterations end. */
  readonly stopping?: AbortSignal | undefined;
}

const EVENT_PLACE: PlaceReaders<EventCursor> = {
  at: readInstant,
  id: (text) => parseRoleId(text) as EventId | undefined,
};

const BATCH = 100;
/** A larger batch, since finding these events takes longer than removing them. */
const TRIMMED_AT_ONCE = 1_000;

/** The number of newest events of a role that are kept, and the age from which older ones are dropped. */
const MAX_EVENTS_OF_ROLE = 10_000;
const EXTRA_EVENTS_RETENTION: Duration = days(7);
/** A sweep searches roles with an event that reached that age within this time: twice the longest time between sweeps. */
const TRIMMED_WITHIN: Duration = minutes(20);

/**
 * Creates the use cases of the history.
 *
 * @example
 * import { type HistoryPorts, createHistory } from '@pinfold/core/history';
 *
 * declare const ports: HistoryPorts;
 * const history = createHistory(ports);
 * const page = await history.list({ by: 'ada' });
 * if (page.kind === 'page') for (const { type, at } of page.events) console.log(at, type);
 */
export function createHistory(
  ports: HistoryPorts,
  { retention = days(400), stopping }: HistoryOptions = {},
): History {
  const { history, roles, apiKeys, sessions, pairings } = ports;
  return {
    ...createFeed(ports, asShownToAccounts, stopping),
    async list({ pin, since, ...request }) {
      const account = listedAccount(request);
      const filter = { account, pin, since };
      const listed = ['events', account ?? null, pin ?? null, since ?? null];
      return await readPage('events', request, cursorCodec(EVENT_PLACE, listed), async (after, limit) => {
        const { items, next } = await history.list({ ...filter, after, limit });
        return { items: request.by === OPERATOR ? items : items.map(asShownToAccounts), next };
      });
    },
    async sweep({ cause = BY_SYSTEM, signal } = {}) {
      const judgedAt = await removalInstant(ports, signal);
      if (judgedAt === undefined) return;
      await inBatches(ports, BATCH, signal, () => recordExpired(ports, cause));
      const oldest = before(judgedAt, retention);
      await inBatches(ports, BATCH, signal, () => history.drop(oldest, BATCH));
      await inBatches(ports, BATCH, signal, () => roles.dropTitles(oldest, BATCH));
      const until = before(judgedAt, EXTRA_EVENTS_RETENTION);
      const trimming = {
        since: before(until, TRIMMED_WITHIN),
        until,
        keep: MAX_EVENTS_OF_ROLE,
        limit: TRIMMED_AT_ONCE,
      };
      await inBatches(ports, TRIMMED_AT_ONCE, signal, () => history.trimEvents(trimming));
      if (apiKeys !== undefined) await inBatches(ports, BATCH, signal, () => apiKeys.purge(oldest, BATCH));
      for (const store of [sessions, pairings])
        if (store !== undefined) await inBatches(ports, BATCH, signal, () => store.purge(judgedAt, BATCH));
    },
  };
}

async function recordExpired({ history, clock, ids }: HistoryPorts, cause: Cause): Promise<number> {
  const now = clock.now();
  const expired = await history.expired(now, BATCH);
  const events = expired.map(({ role, account, expiresAt }) =>
    eventOf(ids, { type: 'pin.expired', at: expiresAt }, cause, account, role, now),
  );
  if (events.length > 0) await history.recordExpired(events);
  return events.length;
}

function asShownToAccounts(event: HistoryEvent): HistoryEvent {
  return event.asOperator ? { ...event, actor: { kind: 'operator', id: null }, address: null } : event;
}
