import type { Branded } from '../domain/brand.ts';
import type { RoleId } from '../domain/identity.ts';
import type { Duration, Instant } from '../domain/instant.ts';

/** Names one counted try, so that it can be taken back. */
export type AttemptTicket = Branded<string, 'AttemptTicket'>;

/** A try to be counted before the password is looked at. */
export interface Attempt {
  readonly role: RoleId;
  /** The client's address, an IPv6 one reduced to its /64. */
  readonly address: string;
  readonly now: Instant;
  readonly window: Duration;
  /** Tries one address may have in a window. */
  readonly perAddress: number;
  /** Tries all addresses together may have in a window. */
  readonly perRole: number;
}

export type AttemptOutcome =
  | { readonly kind: 'admitted'; readonly ticket: AttemptTicket }
  | { readonly kind: 'limited'; readonly until: Instant };

/**
 * Counts tries of passwords, shared by all processes. Windows are fixed: one opens with the first counted try and
 * ends its length later.
 *
 * Faults: `store_unavailable`.
 */
export interface AttemptCounter {
  /**
   * Counts a try against both limits or neither, in one step.
   * @promise attempt-counter/per-address: one address is limited after its tries, others are not
   * @promise attempt-counter/per-role: all addresses together are limited after the role's tries; another role is not
   * @promise attempt-counter/both-or-neither: a try that one limit refuses is not counted against the other
   * @promise attempt-counter/window: a limited try is told the end of the window, of two the later one, and from then on tries count anew
   * @promise attempt-counter/race: of many at once, over all peers, exactly as many as the limit are admitted
   */
  begin(attempt: Attempt): Promise<AttemptOutcome>;

  /**
   * Takes a try back, after a right password.
   * @promise attempt-counter/forgive: a forgiven try counts neither for the address nor for the role; again, or in a window opened since, it changes nothing
   */
  forgive(ticket: AttemptTicket): Promise<void>;

  /**
   * Drops windows that ended by an instant, at most `limit`; answers how many: fewer than `limit` only when none is left.
   * @promise attempt-counter/purge: ended windows go, open ones keep their count
   */
  purge(endedBy: Instant, limit: number): Promise<number>;

  /**
   * Counts windows that ended by an instant.
   * @promise attempt-counter/count-ended: exactly the windows that purging would drop are counted, and nothing changes
   */
  countEnded(endedBy: Instant): Promise<number>;
}
