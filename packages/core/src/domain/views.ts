import type { Branded, RoleId } from './identity.ts';
import type { Instant } from './instant.ts';

/** A day in UTC: whole days since 1970-01-01. */
export type Day = Branded<number, 'Day'>;

/** How often a role was viewed on a day. */
export interface DayOfViews {
  readonly day: Day;
  /** Pages of its site that were shown to people who opened them; neither their parts nor other files. */
  readonly views: number;
  readonly refusedPasswords: number;
}

/** The counts to add to a day of a role. */
export interface CountedViews extends DayOfViews {
  readonly role: RoleId;
}

const DAY = 86_400_000;

export function dayOf(at: Instant): Day {
  return Math.floor(at / DAY) as Day;
}

/** A day as ISO 8601 writes it. */
export function dayText(day: Day): string {
  return new Date(day * DAY).toISOString().slice(0, 10);
}
