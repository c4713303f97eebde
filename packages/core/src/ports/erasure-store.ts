import type { EventActor, EventId } from '../domain/history.ts';
import type { AccountId } from '../domain/identity.ts';
import type { Instant } from '../domain/instant.ts';
import type { Takedown } from '../domain/takedown.ts';
import type { CleanupRequest, CleanupTask } from './role-cleanup.ts';

/** An account that is being erased. */
export interface Erasure {
  readonly account: AccountId;
  /** The account that owns the remains. */
  readonly replacement: AccountId;
}

/** An erasure to begin. */
export interface ErasureRequest extends Erasure {
  readonly at: Instant;
  readonly actor: EventActor;
}

/** The outcome of one step; `archives_left` if nothing is left but archives of its roles. */
export type ErasureStep = 'continued' | 'archives_left' | 'erased';

/** A claim of archives of an erased account's roles. */
export type ErasureClaim = Pick<CleanupRequest, 'now' | 'token' | 'until' | 'limit'>;

/**
 * Erases accounts, a few rows at a time, so that another node can continue after a process died. It ignores the mode and
 * blocks.
 */
export interface ErasureStore {
  /**
   * Blocks an account, hides its sites and marks it as erasing, in one step. Repeating it changes nothing.
   * @promise erasure-store/begin: the account is blocked, hidden and erasing for every peer, and its keys and sessions are unknown; of many at once the first one's replacement stays; a name that nothing is stored of is unknown
   * @promise erasure-store/refused: of an account that is being erased nothing is changed or published any more, by any peer, no session begins, and no key is created, with the operator's authority neither
   */
  begin(request: ErasureRequest): Promise<'begun' | 'unknown'>;

  /** @promise erasure-store/list: exactly the accounts whose erasure has begun and not ended, in order of name, after a name, at most the limit */
  list(after: AccountId | undefined, limit: number): Promise<readonly Erasure[]>;

  /**
   * Erases some rows of an account.
   *
   * @param ids {@link ErasureStore.eventsAtOnce} ids for events.
   * @promise erasure-store/advance: steps of any peers, at once and one after the other, end; then keys, sessions, links, consents, names, views and Idempotency-Keys of the account are gone, its publications are stopped and theirs without texts, under the replacement, and its events without actor, address and name
   * @promise erasure-store/persons: the ids of persons who acted as the account go from the events of all accounts, and other actors stay
   * @promise erasure-store/takedowns: takedowns stay in force, with their reasons, under the replacement
   * @promise erasure-store/gone: with a key or a session that it had nothing is reserved, published, created, agreed to or begun afterwards, by any peer, and the name stays unknown
   * @promise erasure-store/ended: the account is unknown afterwards, the replacement is blocked and hidden, and its last event says that it was erased
   * @promise erasure-store/others: what belongs to other accounts stays as it was
   */
  advance(erasure: Erasure, now: Instant, ids: readonly EventId[]): Promise<ErasureStep>;

  /** The most events that one step stores. */
  readonly eventsAtOnce: number;

  /** @promise erasure-store/claim: archives of the replacement's roles are claimed without delay, each by one of many at once, again from the claim's or the retry's instant on, and settled as those of cleanups */
  claimArchives(replacement: AccountId, claim: ErasureClaim): Promise<readonly CleanupTask[]>;

  /** @promise erasure-store/naming: the takedowns in whose reason a text occurs, lifted ones too */
  takedownsNaming(text: string): Promise<readonly Takedown[]>;
}
