import type { Branded, RoleId } from '../domain/identity.ts';
import type { Duration, Instant } from '../domain/instant.ts';
import type { AttemptRefusal } from '../domain/password.ts';

/** One counted try, under way until it is settled or forgiven. */
export type AttemptTicket = Branded<string, 'AttemptTicket'>;

/** A try to count before its password is checked. */
export interface Attempt {
  readonly role: RoleId;
  /** The client's address, an IPv6 one reduced to its /64. */
  readonly address: string;
  readonly now: Instant;
  readonly window: Duration;
  readonly perAddress: number;
  readonly perRole: number;
}

/** Whether a try is admitted. */
export type AttemptOutcome = { readonly kind: 'admitted'; readonly ticket: AttemptTicket } | AttemptRefusal;

/**
 * Counts password tries for all processes. Windows are fixed: one opens with the first counted try and ends its length later.
 * A try is under way until it is settled, which makes it wrong, or forgiven, as if it never was. Only wrong tries make others
 * `limited`; tries under way make others `busy`. A window that ends more than an hour later than a try could open one was
 * opened by a clock that is ahead, and counts for that clock alone.
 *
 * @promise attempt-counter/unreachable: while the database does not answer, every call rejects with the fault store_unavailable and its cause
 * @promise attempt-counter/lets-go: once their windows are dropped, nothing is left of ended tries, and a call leaves no open file or connection
 */
export interface AttemptCounter {
  /**
   * @promise attempt-counter/per-address: one address is limited after its wrong tries, others are not
   * @promise attempt-counter/per-role: after the role's wrong tries, all addresses together are limited; other roles are not
   * @promise attempt-counter/hundreds: limits of hundreds hold exactly, for one address and for all together
   * @promise attempt-counter/addresses: addresses of any length are compared exactly, and so are roles
   * @promise attempt-counter/busy: while wrong tries and tries under way together reach a limit, a further try is busy, not limited
   * @promise attempt-counter/both-or-neither: a try that one limit makes limited or busy does not count against the other limit
   * @promise attempt-counter/window: a limited try gets the end of the window, the later one of two, and from then on tries count anew
   * @promise attempt-counter/race: of many concurrent tries over all peers, exactly as many as the limit are admitted, and none is limited before those are wrong
   * @promise attempt-counter/unsettled: an unsettled try counts as wrong 60 seconds after it began, by the instants of later tries, and can still be forgiven
   */
  begin(attempt: Attempt): Promise<AttemptOutcome>;

  /** @promise attempt-counter/settle: a settled try is wrong until its windows end; settling again, after forgiving, or in a window opened since changes nothing */
  settle(ticket: AttemptTicket): Promise<void>;

  /**
   * @promise attempt-counter/forgive: a forgiven try counts neither for the address nor for the role, even if one of its windows has ended; forgiving again, after settling, or in a window opened since changes nothing
   * @promise attempt-counter/forgiven-window: once all tries of a window are forgiven, it ends: the next counted try opens a new one, and nothing of the address is stored
   */
  forgive(ticket: AttemptTicket): Promise<void>;

  /**
   * Drops records of windows that ended by an instant; returns how many: fewer than `limit` only when none is left.
   * @promise attempt-counter/purge: ended windows are removed, and open ones keep their counts
   * @promise attempt-counter/purge-many: the records of more than a thousand windows are counted and dropped, up to the limit at each call, until none is left
   */
  purge(endedBy: Instant, limit: number): Promise<number>;

  /** @promise attempt-counter/count-ended: exactly the records that purging would drop are counted, and nothing changes */
  countEnded(endedBy: Instant): Promise<number>;
}
