import type { Branded, RoleId } from './identity.ts';
import type { Instant } from './instant.ts';

/** A day in UTC: whole days since 1970-01-01. */
export type Day = Branded<number, 'Day'>;

/** The counts of a role on a day. */
export interface DayOfViews {
  readonly day: Day;
  /** Pages of its site that people opened by navigation; parts of pages and other files do not count. */
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

/** Writes a day as in ISO 8601: `2026-11-20`. */
export function dayText(day: Day): string {
  return new Date(day * DAY).toISOString().slice(0, 10);
}
