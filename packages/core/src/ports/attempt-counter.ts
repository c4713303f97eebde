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
 * A try is under way until it is settled, which makes it wrong, or forgiven, which uncounts it. Only wrong tries make others
 * `limited`; tries under way make others `busy`. A window that ends more than an hour later than a try could open one was
 * opened by a clock that is ahead, and counts for that clock alone.
 *
 * @promise attempt-counter/unreachable: while the database does not answer, every call rejects with the fault store_unavailable and what caused it
 * @promise attempt-counter/lets-go: of tries that ended nothing is left once their windows are dropped, and of a call no open file or connection
 */
export interface AttemptCounter {
  /**
   * @promise attempt-counter/per-address: one address is limited after its wrong tries, others are not
   * @promise attempt-counter/per-role: all addresses together are limited after the role's wrong tries; another role is not
   * @promise attempt-counter/hundreds: limits of hundreds hold exactly, for one address and for all together
   * @promise attempt-counter/addresses: addresses are compared whole and exactly, however long, and roles as exactly
   * @promise attempt-counter/busy: while wrong tries and those under way reach a limit together, a further try is busy, not limited
   * @promise attempt-counter/both-or-neither: a try that one limit refuses, or keeps waiting, is not counted against the other
   * @promise attempt-counter/window: a limited try gets the end of the window, of two the later one, and from then on tries count anew
   * @promise attempt-counter/race: of many at once, over all peers, exactly as many as the limit are admitted, and none is limited before they are wrong
   * @promise attempt-counter/unsettled: an unsettled try is wrong from 60 seconds after it began, by the instants of later tries, and can still be forgiven
   */
  begin(attempt: Attempt): Promise<AttemptOutcome>;

  /** @promise attempt-counter/settle: a settled try is wrong until its windows end; again, after it was forgiven, or in a window opened since, settling changes nothing */
  settle(ticket: AttemptTicket): Promise<void>;

  /**
   * @promise attempt-counter/forgive: a forgiven try counts neither for the address nor for the role, also when one of its windows ended; again, after it was settled, or in a window opened since, forgiving changes nothing
   * @promise attempt-counter/forgiven-window: a window ends once every try in it was forgiven: the next counted try opens one, and nothing of the address is stored
   */
  forgive(ticket: AttemptTicket): Promise<void>;

  /**
   * Drops records of windows that ended by an instant; returns how many: fewer than `limit` only when none is left.
   * @promise attempt-counter/purge: ended windows go, open ones keep their count
   * @promise attempt-counter/purge-many: the records of more than a thousand windows are counted and dropped, each time as many as the limit, until none is left
   */
  purge(endedBy: Instant, limit: number): Promise<number>;

  /** @promise attempt-counter/count-ended: exactly what purging would drop is counted, and nothing changes */
  countEnded(endedBy: Instant): Promise<number>;
}
