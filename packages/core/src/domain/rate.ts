import type { Branded } from './identity.ts';
import { type Duration, days, hours, type Instant, instant, minutes, seconds } from './instant.ts';

/** A burst of `count`, which is refilled evenly over `window`. */
export interface Rate {
  readonly count: number;
  readonly window: Duration;
}

/** A rate as text: `600/1h`, or `off` for none. */
export type RateText = Branded<string, 'RateText'>;

/** The usage of a rate: the microsecond at which it is full again. Opaque to stores. */
export type RateMark = Branded<number, 'RateMark'>;

/** The remainder of a rate. */
export interface RateLeft {
  readonly limit: number;
  readonly window: Duration;
  readonly remaining: number;
  /** The instant from which a request of the given cost passes; now if it passes already. */
  readonly nextAt: Instant;
  /** The instant at which the rate is full again. */
  readonly wholeAt: Instant;
}

/** The cost of a request that changes something. Reading costs 1, and so does publishing by the API. */
export const CHANGE_COST = 10;

const RATE_TEXT = /^([1-9]\d{0,8})\/([1-9]\d{0,3})([smhd])$/;
const UNITS: Readonly<Record<string, (count: number) => Duration>> = {
  s: seconds,
  m: minutes,
  h: hours,
  d: days,
};
const MICROSECONDS_PER_MILLISECOND = 1_000;

/** Reads a rate such as `10/1s`, `10/5m`, `10/1h` or `10/1d`, or `off`; `undefined` if invalid or above one a microsecond. */
export function parseRate(text: string): Rate | 'off' | undefined {
  if (text === 'off') return 'off';
  const [, count, length, unit] = RATE_TEXT.exec(text) ?? [];
  const window = UNITS[unit ?? '']?.(Number(length));
  if (window === undefined || Number(count) > window * MICROSECONDS_PER_MILLISECOND) return undefined;
  return { count: Number(count), window };
}

/** Computes the rest of a rate by the generic cell rate algorithm. A cost above the count is lowered to it, or would never pass. */
export function rateLeft(rate: Rate, mark: RateMark | null, now: Instant, cost = 1): RateLeft {
  const { count, window } = rate;
  const share = microsecondsPerUnit(rate);
  const present = now * MICROSECONDS_PER_MILLISECOND;
  const owed = microsecondsAhead(rate, mark, present);
  const remaining = Math.max(0, Math.floor((count * share - owed) / share));
  const wait = Math.max(
    0,
    Math.ceil((owed - (count - costWithin(rate, cost)) * share) / MICROSECONDS_PER_MILLISECOND),
  );
  const whole = Math.ceil(owed / MICROSECONDS_PER_MILLISECOND);
  return {
    limit: count,
    window,
    remaining,
    nextAt: instant(now + wait),
    wholeAt: instant(now + whole),
  };
}

/** Computes the mark after a request of this cost. Check with {@link rateLeft} first that it passes. */
export function takenFrom(rate: Rate, mark: RateMark | null, now: Instant, cost = 1): RateMark {
  const present = now * MICROSECONDS_PER_MILLISECOND;
  return (present +
    microsecondsAhead(rate, mark, present) +
    costWithin(rate, cost) * microsecondsPerUnit(rate)) as RateMark;
}

function costWithin({ count }: Rate, cost: number): number {
  return Math.min(cost, count);
}

/** How far the mark is ahead of the present; 0 if further than this rate moves it: another rate or clock set it. */
function microsecondsAhead(rate: Rate, mark: RateMark | null, present: number): number {
  const owed = Math.max(0, (mark ?? present) - present);
  return owed > rate.count * microsecondsPerUnit(rate) ? 0 : owed;
}

/** Rounded to whole microseconds, whose sums are exact. */
function microsecondsPerUnit({ count, window }: Rate): number {
  return Math.floor((window * MICROSECONDS_PER_MILLISECOND) / count);
}
