import { raceSignal } from '../adapter/abortable.ts';
import { accountOfActor, type ListScope, listedAccount } from '../domain/actor.ts';
import { type FeedCursor, feedCursors, type HistoryEvent } from '../domain/history.ts';
import type { AccountId, RoleId } from '../domain/identity.ts';
import type { Duration } from '../domain/instant.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import type { FeedPart } from '../ports/history-store.ts';
import type { Refusal } from '../refusal.ts';
import { FeedWatch, LATEST, type Wait } from './feed-watch.ts';
import { MAX_LISTED, pageLimit } from './paging.ts';

/** A feed to read, and the place to begin after. */
export interface FollowRequest extends ListScope {
  readonly pin?: RoleId | undefined;
  /** A cursor of the same feed, or `latest` for its end; absent, the beginning. */
  readonly after?: string | undefined;
  /** Aborts a wait, which rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** A page of a feed to read. */
export interface FeedRequest extends FollowRequest {
  /** 1 to 100, or a TypeError is thrown; 20 when absent. */
  readonly limit?: number | undefined;
  /** How long to wait for an event; absent: no wait. */
  readonly wait?: Duration | undefined;
  /** Ends the wait when it aborts, with the page as it is then. */
  readonly stopWaiting?: AbortSignal | undefined;
}

/** An event, and the cursor after it. */
export interface FeedItem {
  readonly event: HistoryEvent;
  readonly cursor: string;
}

type CursorRefusal = Refusal<'invalid_cursor'> | Refusal<'cursor_expired'>;

/** A page of a feed, oldest first. */
export interface FeedPage {
  readonly kind: 'page';
  readonly items: readonly FeedItem[];
  /** The cursor after which to continue, even after a page without events. */
  readonly next: string;
  /** Whether time passed since the request: a door then authenticates its caller again. */
  readonly hasWaited: boolean;
  /** Whether too many requests wait already, so that this one did not wait. */
  readonly isCrowded: boolean;
}

/** A page of the feed, or a refusal. */
export type FeedOutcome = FeedPage | CursorRefusal;

/**
 * Ends an iteration over a feed whose cursor is refused, since an iteration cannot return a refusal.
 *
 * @example
 * import { FeedError, type History } from '@pinfold/core/history';
 *
 * declare const history: History;
 * declare const after: string;
 *
 * try {
 *   for await (const { event } of history.follow({ by: 'ada', after })) console.log(event.type);
 * } catch (error) {
 *   if (error instanceof FeedError && error.refusal.code === 'cursor_expired') console.log(error.refusal.oldest);
 * }
 */
export class FeedError extends Error {
  readonly refusal: CursorRefusal;

  constructor(refusal: CursorRefusal) {
    super(
      refusal.code === 'invalid_cursor'
        ? 'the cursor is not one of this feed'
        : 'the feed no longer has what follows the cursor',
    );
    this.name = 'FeedError';
    this.refusal = refusal;
  }
}

/** Reads feeds of events: each event once, in one fixed order. */
export interface Feed {
  /** Reads a page, oldest first; may wait for an event. In one process, 4 requests of an account wait, and 1,024 in all. */
  feed(request: FeedRequest): Promise<FeedOutcome>;

  /** Iterates over all events after a place, and over new ones until the service stops. Throws {@link FeedError}. */
  follow(request: FollowRequest): AsyncGenerator<FeedItem, void, undefined>;
}

interface Scope {
  /** Undefined for the operator. */
  readonly own: AccountId | undefined;
  readonly account: AccountId | undefined;
  readonly pin: RoleId | undefined;
}

export function createFeed(
  { history, clock }: Pick<AllPorts, 'history' | 'clock'>,
  asShownToAccounts: (event: HistoryEvent) => HistoryEvent,
  stopping: AbortSignal = new AbortController().signal,
): Feed {
  const watch = new FeedWatch(history, clock, stopping);

  async function read(scope: Scope, after: string | undefined, limit: number): Promise<FeedOutcome> {
    const { own, account, pin } = scope;
    const cursors = feedCursors(account);
    const isPlace = after !== undefined && after !== 'latest';
    const cursor = isPlace ? cursors.decode(after) : undefined;
    if (cursor !== undefined && 'kind' in cursor) return cursor;
    const number = cursor?.number ?? (after === 'latest' ? LATEST : 0);
    const part = await history.feed({ account, pin, after: number, limit });
    const cursorAt = (place: FeedPart['last']): string => cursors.encode({ ...place, feed: part.feed });
    if (cursor !== undefined && hasExpired(cursor, part)) {
      return { kind: 'refused', code: 'cursor_expired', oldest: cursorAt(part.begin) };
    }
    const items = part.items.map((item) => ({
      event: own === undefined ? item.event : asShownToAccounts(item.event),
      cursor: cursorAt({ number: item.number, event: item.event.id }),
    }));
    const next = items[limit - 1]?.cursor ?? cursorAt(part.last);
    return { kind: 'page', items, next, hasWaited: false, isCrowded: false };
  }

  /** Reads again until there is an event or the wait is over. No event is missed between a read and the wait after it. */
  async function readUntilEvent(
    scope: Scope,
    from: FeedPage,
    limit: number,
    wait: Wait,
    signal: AbortSignal | undefined,
  ): Promise<FeedOutcome> {
    let page: FeedOutcome = from;
    try {
      do page = await raceSignal(read(scope, page.next, limit), signal);
      while (page.kind === 'page' && page.items.length === 0 && (await wait.next(signal)));
    } finally {
      wait.leave();
    }
    return page.kind === 'page' ? { ...page, hasWaited: true } : page;
  }

  return {
    async feed({ after, limit: wanted, wait: length = 0 as Duration, signal, stopWaiting, ...request }) {
      const limit = pageLimit(wanted);
      const scope = scopeOf(request);
      const page = await read(scope, after, limit);
      if (page.kind === 'refused' || page.items.length > 0 || length === 0) return page;
      if (watch.isCrowded(scope.own)) return { ...page, isCrowded: true };
      const wait = watch.enter({ ...scope, length, stopWaiting, request: { of: scope.own } });
      return await readUntilEvent(scope, page, limit, wait, signal);
    },
    async *follow({ after, signal, ...request }) {
      const scope = scopeOf(request);
      let place = after;
      while (!stopping.aborted) {
        signal?.throwIfAborted();
        let page = await read(scope, place, MAX_LISTED);
        if (page.kind === 'page' && page.items.length === 0) {
          page = await readUntilEvent(scope, page, MAX_LISTED, watch.enter(scope), signal);
        }
        if (page.kind === 'refused') throw new FeedError(page);
        yield* page.items;
        place = page.next;
      }
    },
  };
}

/** Whether events after the cursor's place, or the place itself, no longer exist. */
function hasExpired({ feed, number, event }: FeedCursor, part: FeedPart): boolean {
  if (feed !== part.feed) return true;
  return number === part.begin.number ? event !== part.begin.event : event !== part.cursorEvent;
}

function scopeOf(request: Pick<FollowRequest, 'by' | 'account' | 'pin'>): Scope {
  return { own: accountOfActor(request.by), account: listedAccount(request), pin: request.pin };
}
