import type { Branded } from './brand.ts';
import { type Duration, days, hours, type Instant, instant, minutes, seconds } from './instant.ts';

/** So many at once, and then one more each time the window's share of one has passed. */
export interface Rate {
  readonly count: number;
  readonly window: Duration;
}

/** A rate as it is written: `600/1h`, or `off` for none. */
export type RateText = Branded<string, 'RateText'>;

/** How far a rate was taken from: the microsecond at which all of it is there again. Opaque to those who keep it. */
export type RateMark = Branded<number, 'RateMark'>;

/** The remainder of a rate. */
export interface RateLeft {
  readonly limit: number;
  readonly window: Duration;
  readonly remaining: number;
  /** From when the cost asked about passes, one unless another was given; now if it passes already. */
  readonly nextAt: Instant;
  /** From when all pass. */
  readonly wholeAt: Instant;
}

/** The cost of a request that changes something. Reading, and publishing by the API, cost one. */
export const CHANGE_COST = 10;

const WRITTEN = /^([1-9]\d{0,8})\/([1-9]\d{0,3})([smhd])$/;
const UNITS: Readonly<Record<string, (count: number) => Duration>> = {
  s: seconds,
  m: minutes,
  h: hours,
  d: days,
};
const MICROSECONDS = 1_000;

/** Reads a rate, `N/1s`, `N/5m`, `N/1h` or `N/1d`, or `off`; `undefined` for anything else, and for more than one a microsecond. */
export function parseRate(text: string): Rate | 'off' | undefined {
  if (text === 'off') return 'off';
  const [, count, length, unit] = WRITTEN.exec(text) ?? [];
  const window = UNITS[unit ?? '']?.(Number(length));
  if (window === undefined || Number(count) > window * MICROSECONDS) return undefined;
  return { count: Number(count), window };
}

/** The rest of a rate, by the generic cell rate algorithm. A cost above its count is lowered to it, so as to pass. */
export function leftOf(rate: Rate, mark: RateMark | null, now: Instant, cost = 1): RateLeft {
  const { count, window } = rate;
  const share = shareOf(rate);
  const present = now * MICROSECONDS;
  const owed = owedAt(rate, mark, present);
  const remaining = Math.max(0, Math.floor((count * share - owed) / share));
  const wait = Math.max(0, Math.ceil((owed - (count - charged(rate, cost)) * share) / MICROSECONDS));
  const whole = Math.ceil(owed / MICROSECONDS);
  return {
    limit: count,
    window,
    remaining,
    nextAt: instant(now + wait),
    wholeAt: instant(now + whole),
  };
}

/** The mark of a rate from which a cost was taken at an instant. Check first, with {@link leftOf}, that it passes. */
export function takenFrom(rate: Rate, mark: RateMark | null, now: Instant, cost = 1): RateMark {
  const present = now * MICROSECONDS;
  return (present + owedAt(rate, mark, present) + charged(rate, cost) * shareOf(rate)) as RateMark;
}

function charged({ count }: Rate, cost: number): number {
  return Math.min(cost, count);
}

/**
 * How far the mark is ahead. Further than this rate can take it, it was another rate's or another clock's: to wait for
 * it would shut an account out whose rate was raised.
 */
function owedAt(rate: Rate, mark: RateMark | null, present: number): number {
  const owed = Math.max(0, (mark ?? present) - present);
  return owed > rate.count * shareOf(rate) ? 0 : owed;
}

/** Whole microseconds: sums of them are exact. */
function shareOf({ count, window }: Rate): number {
  return Math.floor((window * MICROSECONDS) / count);
}
