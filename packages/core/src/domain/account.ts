import type { AccountId } from './identity.ts';
import type { Instant } from './instant.ts';
import type { Rate, RateMark, RateText } from './rate.ts';
import type { Generation } from './role.ts';

/** What was set for one account. Null: what holds for all does. */
export interface AccountLimits {
  /** Requests of the API, by each process. */
  readonly requests: RateText | null;
  /** New publications, over all nodes. */
  readonly publications: RateText | null;
  /** Publications in service at the same time. */
  readonly sites: number | 'off' | null;
  /** Bytes of the archives of those. */
  readonly bytes: number | 'off' | null;
}

/** Why an account may change nothing. Its sites stay as they are, or answer as stopped ones. */
export interface Block {
  readonly reason: string;
  readonly sites: 'keep' | 'hide';
  readonly at: Instant;
}

/** What is known of who owns roles. */
export interface Account {
  readonly name: AccountId;
  readonly limits: AccountLimits;
  readonly blocked: Block | null;
  /** Counts the times all viewers of all its roles were cut off. */
  readonly generation: Generation;
  readonly lastPublishedAt: Instant | null;
  /** How far its rate of publications was taken from. */
  readonly publicationsMark: RateMark | null;
}

/** What an account uses at an instant. */
export interface AccountUse {
  /** Publications in service. */
  readonly sites: number;
  /** Bytes of their archives. */
  readonly bytes: number;
  /** Publications of the 24 hours before, in service or not. */
  readonly publications24h: number;
}

/** What holds for the publications of an account that has no limits of its own. Null: none. */
export interface PublicationLimits {
  readonly publications: Rate | null;
  readonly sites: number | null;
  readonly bytes: number | null;
}

/** An account to which nothing was done yet has none of its own. */
export const NO_LIMITS: AccountLimits = { requests: null, publications: null, sites: null, bytes: null };
