import type { Credential } from '../domain/actor.ts';
import type { HistoryEvent, UnattributedEvent } from '../domain/history.ts';
import type { AccountId, Sha256 } from '../domain/identity.ts';
import type { Instant } from '../domain/instant.ts';
import type { Session, SessionLimits, SignInLink } from '../domain/session.ts';
import type { Refusal } from '../refusal.ts';

/** A request to begin a session with a link. */
export interface Redemption {
  readonly link: Sha256;
  readonly now: Instant;
  /** The new session; its account, scope and actor come from the link. */
  readonly session: Omit<Session, 'account' | 'actor' | 'scope'>;
  readonly limits?: SessionLimits;
}

/** The effect of a new session on others. */
export interface BegunSession {
  /** The number of older sessions that it ended, to keep the limits. */
  readonly ended: number;
}

/** A query for sessions, in order of their hashes. */
export interface SessionQuery {
  /** Undefined: every account. */
  readonly account: AccountId | undefined;
  readonly now: Instant;
  /** Only hashes after this text, which may be the beginning of one. */
  readonly after: string | undefined;
  readonly limit: number;
}

/**
 * Stores sessions of the management screen and the links that begin them, for all nodes. Requests bring the time. A write
 * stores its events in the same step.
 */
export interface SessionStore {
  /** @promise session-store/offer: an offered link can be redeemed through every peer, for its account */
  offer(link: SignInLink, events: readonly HistoryEvent[]): Promise<void>;

  /**
   * @promise session-store/redeem-once: of many concurrent and later calls exactly one redeems a link; every peer then sees its session, with the account, the creator and the scope of the link, and every other field as given
   * @promise session-store/redeem-ended: a link that has ended or was never offered is unknown and begins no session, even a link from a clock that was ahead, which ends over an hour later than a link of now
   */
  redeem(
    request: Redemption,
    events: readonly UnattributedEvent[],
  ): Promise<
    ({ readonly kind: 'redeemed'; readonly session: Session } & BegunSession) | { readonly kind: 'unknown' }
  >;

  /**
   * Begins a session. `credential` is the key that begins it, if any.
   * @promise session-store/begin: every peer finds a session that began, with every field
   * @promise session-store/begin-limit: a new session beyond a limit, even concurrent, ends the oldest ones by (startedAt, tokenHash): first those of the actor, then as many of the account as still exceed its limit; it never ends itself; sessions of other accounts and actors, and ended ones, do not count
   */
  begin(
    session: Session,
    events: readonly HistoryEvent[],
    limits?: SessionLimits,
    credential?: Credential,
  ): Promise<BegunSession | Refusal<'account_blocked' | 'unauthorized'>>;

  /**
   * @promise session-store/find: a session is found until it ends; hashes are compared exactly, and an unknown one is undefined
   * @promise session-store/find-aborted: an aborted signal rejects with its reason
   */
  find(tokenHash: Sha256, now: Instant, signal?: AbortSignal): Promise<Session | undefined>;

  /**
   * @promise session-store/list: pages after a hash, up to one that is not full, give every session that has not ended exactly once, in order, of one account or of all
   * @promise session-store/list-all: hashes are ordered by code unit in full, and the list of an account has exactly its own sessions, even those yet to start, with every field
   * @promise session-store/list-many: a list with a high limit has more than a thousand sessions
   */
  list(query: SessionQuery): Promise<readonly Session[]>;

  /** @promise session-store/end: no peer finds an ended session at its next read, and others remain; ending again, or ending an unknown session, succeeds */
  end(tokenHash: Sha256, events: readonly HistoryEvent[]): Promise<void>;

  /**
   * Stores the event of a refused sign-in, unless one of the account was stored after `unlessSince`.
   * @promise session-store/refuse: a refused sign-in ends no session and no link, and stores nothing for an account that does not exist
   */
  refuse(event: HistoryEvent & { readonly account: AccountId }, unlessSince: Instant): Promise<void>;

  /**
   * Drops sessions and links that ended by an instant; returns how many: fewer than `limit` only when none is left.
   * @promise session-store/purge: ended sessions and links are removed, at most the limit, and others remain
   */
  purge(endedBy: Instant, limit: number): Promise<number>;
}
