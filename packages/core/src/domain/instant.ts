import type { Branded } from './identity.ts';

/** A point in time: integer milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = Branded<number, 'Instant'>;

/** A length of time in integer milliseconds. */
export type Duration = Branded<number, 'Duration'>;

/**
 * Takes milliseconds since the epoch as an {@link Instant}.
 *
 * @throws TypeError when the number is not a safe integer.
 */
export function instant(milliseconds: number): Instant {
  if (!Number.isSafeInteger(milliseconds)) throw new TypeError('an instant is whole milliseconds');
  return milliseconds as Instant;
}

/**
 * Takes milliseconds as a {@link Duration}.
 *
 * @throws TypeError when the number is not a safe integer of at least 0.
 */
export function duration(milliseconds: number): Duration {
  if (!Number.isSafeInteger(milliseconds) || milliseconds < 0) {
    throw new TypeError('a duration is whole milliseconds from 0');
  }
  return milliseconds as Duration;
}

/**
 * `count` seconds; fractions are rounded to the millisecond.
 *
 * @example
 * import { seconds } from '@pinfold/core';
 *
 * seconds(0.25); // 250
 */
export function seconds(count: number): Duration {
  return duration(Math.round(count * 1_000));
}

/** `count` minutes. */
export function minutes(count: number): Duration {
  return seconds(count * 60);
}

/** `count` hours. */
export function hours(count: number): Duration {
  return minutes(count * 60);
}

/** `count` days of 24 hours, without daylight saving time or leap seconds. */
export function days(count: number): Duration {
  return hours(count * 24);
}

/** How far a recorded instant may be ahead of a node's clock: only a wrong clock makes one that is further ahead. */
export const CLOCK_TOLERANCE: Duration = hours(1);

/** Whether something was recorded since an instant; false for an instant far ahead of `now`, from a wrong clock. */
export function isRecent(recorded: Instant, since: Instant, now: Instant): boolean {
  return recorded > since && recorded <= now + CLOCK_TOLERANCE;
}

/** The instant `length` after `start`. */
export function after(start: Instant, length: Duration): Instant {
  return instant(start + length);
}

/** The instant `length` before `end`. */
export function before(end: Instant, length: Duration): Instant {
  return instant(end - length);
}

/** RFC 3339 in UTC with milliseconds: `2026-11-20T12:00:00.000Z`. */
export function toRfc3339(at: Instant): string {
  return new Date(at).toISOString();
}
