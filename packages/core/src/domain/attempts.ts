import { type Duration, type Instant, seconds } from './instant.ts';

/** The age from which an unsettled try counts as wrong: its process died. */
export const MAX_UNSETTLED: Duration = seconds(60);

/** The counts of an open window, and its limit. */
export interface AttemptTally {
  readonly endsAt: Instant;
  /** Every try of the window: wrong ones, and those under way. */
  readonly tries: number;
  /** Unsettled tries that began less than {@link MAX_UNSETTLED} ago. */
  readonly underWay: number;
  readonly limit: number;
}

/** `limited`: too many wrong tries, until their window ends; `busy`: too many under way. */
export type AttemptRefusal =
  | { readonly kind: 'limited'; readonly until: Instant }
  | { readonly kind: 'busy' };

/** Judges a try by the open windows that it would be counted in; `undefined` when it is admitted. */
export function refuseAttempt(open: readonly AttemptTally[]): AttemptRefusal | undefined {
  const ends = open
    .filter(({ tries, underWay, limit }) => tries - underWay >= limit)
    .map(({ endsAt }) => endsAt);
  if (ends.length > 0) return { kind: 'limited', until: Math.max(...ends) as Instant };
  return open.some(({ tries, limit }) => tries >= limit) ? { kind: 'busy' } : undefined;
}
