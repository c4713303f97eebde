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
   * @promise erasure-store/begin: every peer sees the account as blocked, hidden and erasing, and its keys and sessions as unknown; of many concurrent calls the first replacement counts; a name without data is unknown
   * @promise erasure-store/refused: while an account is being erased, every peer refuses to change or publish anything of it, to begin a session and to create a key, even with the authority of the operator
   */
  begin(request: ErasureRequest): Promise<'begun' | 'unknown'>;

  /** @promise erasure-store/list: exactly the accounts whose erasure has begun and not ended are listed, in order of name, after a name, at most the limit */
  list(after: AccountId | undefined, limit: number): Promise<readonly Erasure[]>;

  /**
   * Erases some rows of an account.
   *
   * @param ids {@link ErasureStore.eventsAtOnce} ids for events.
   * @promise erasure-store/advance: steps of any peers, concurrent or one after the other, come to an end; then keys, sessions, links, consents, names, views and Idempotency-Keys of the account are removed, its publications are stopped, without texts and under the replacement, and its events have no actor, address and name
   * @promise erasure-store/persons: the ids of persons who acted as the account are removed from the events of all accounts, and other actors remain
   * @promise erasure-store/takedowns: takedowns remain in force, with their reasons, under the replacement
   * @promise erasure-store/gone: afterwards no peer accepts a key or session of the account for reserving, publishing, creating, agreeing or beginning, and the name remains unknown
   * @promise erasure-store/ended: afterwards the account is unknown, the replacement is blocked and hidden, and its last event records the erasure
   * @promise erasure-store/others: data of other accounts does not change
   */
  advance(erasure: Erasure, now: Instant, ids: readonly EventId[]): Promise<ErasureStep>;

  /** The maximum number of events that one step stores. */
  readonly eventsAtOnce: number;

  /** @promise erasure-store/claim: archives of the roles of the replacement are claimed without delay, each by one of many concurrent calls; they can be claimed again after the end of the claim or the instant of the retry, at once if a clock that was ahead set it, and are settled like claims of cleanups */
  claimArchives(replacement: AccountId, claim: ErasureClaim): Promise<readonly CleanupTask[]>;

  /** @promise erasure-store/naming: takedowns whose reason contains the text are found, even lifted ones */
  takedownsNaming(text: string): Promise<readonly Takedown[]>;
}
