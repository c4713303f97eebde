import type { ArchiveId } from './identity.ts';
import { type Duration, hours, type Instant, instant, minutes, seconds } from './instant.ts';

/** The progress of comparing storage with the records. It is stored after each window of ids, and any sweep can resume it. */
export interface Comparison {
  readonly savedAt: Instant;
  /** Whether there may be more to do: windows to count, or archives to remove. */
  readonly isUnderWay: boolean;
  /** Whether the last complete comparison found too many archives without a record. */
  readonly isRefused: boolean;
  /** The last id that is counted; null before the first window. */
  readonly upTo: ArchiveId | null;
  /** The number of archives in storage that were old enough to be judged. */
  readonly compared: number;
  /** The number of orphans among them: archives that no record names. */
  readonly unnamed: number;
  /** The orphans that are not removed yet, at most {@link MAX_IDS}. */
  readonly orphans: readonly ArchiveId[];
  /** Archives that a record names and storage does not have: the first {@link MAX_IDS}. */
  readonly missing: readonly ArchiveId[];
  /** The clock of removal shares the row of the comparison; a new comparison keeps it. */
  readonly removal?: RemovalClock | undefined;
}

export interface ComparedWindow {
  readonly upTo: ArchiveId;
  readonly compared: number;
  readonly orphans: readonly ArchiveId[];
  readonly missing: readonly ArchiveId[];
}

/** The maximum number of ids of a kind in a {@link Comparison}: bounds what the store and a node hold. */
export const MAX_IDS = 1_000;

/** The minimum time from the end of one comparison to the beginning of the next. */
const COMPARISON_INTERVAL: Duration = hours(24);

/**
 * For how long after its last window a comparison belongs to the sweep that makes it. The clocks of two nodes that sweep
 * differ by no more.
 */
const COMPARISON_LEASE: Duration = minutes(2);

export const NOT_COMPARED: Comparison = {
  savedAt: instant(0),
  isUnderWay: true,
  isRefused: false,
  upTo: null,
  compared: 0,
  unnamed: 0,
  orphans: [],
  missing: [],
};

export interface ComparisonRequest {
  readonly isForced: boolean;
  /** Resumes a comparison that another sweep is making. */
  readonly takesOver: boolean;
}

export type ComparisonTurn =
  | { readonly kind: 'compare'; readonly from: Comparison }
  | { readonly kind: 'leave'; readonly found: Comparison };

/**
 * Decides whether a sweep makes a comparison: one a day, resumed where it stopped. A refusal remains in force until a later
 * comparison passes.
 */
export function decideTurn(
  found: Comparison | undefined,
  now: Instant,
  { isForced, takesOver }: ComparisonRequest,
): ComparisonTurn {
  if (found === undefined) return { kind: 'compare', from: NOT_COMPARED };
  const age = now - found.savedAt;
  // Begins again: storage has changed too much since these counts, or a clock that was ahead dated them.
  if (isForced || age >= COMPARISON_INTERVAL || age < -COMPARISON_LEASE) {
    return { kind: 'compare', from: { ...NOT_COMPARED, isRefused: found.isRefused } };
  }
  const isHeld = Math.abs(age) < COMPARISON_LEASE && !takesOver;
  return found.isUnderWay && !isHeld ? { kind: 'compare', from: found } : { kind: 'leave', found };
}

/** Adds a window to the counts. */
export function withWindow(comparison: Comparison, window: ComparedWindow): Comparison {
  return {
    ...comparison,
    upTo: window.upTo,
    compared: comparison.compared + window.compared,
    unnamed: comparison.unnamed + window.orphans.length,
    orphans: [...comparison.orphans, ...window.orphans].slice(0, MAX_IDS),
    missing: [...comparison.missing, ...window.missing].slice(0, MAX_IDS),
  };
}

/**
 * Ends a comparison. Its counts leave out the orphans that were removed: none after a refusal, otherwise up to
 * {@link MAX_IDS}, and the next comparison removes more.
 */
export function finishComparison(comparison: Comparison, isRefused: boolean): Comparison {
  const removed = isRefused ? 0 : Math.min(comparison.unnamed, MAX_IDS);
  return {
    ...comparison,
    isUnderWay: false,
    isRefused,
    compared: comparison.compared - removed,
    unnamed: comparison.unnamed - removed,
    orphans: [],
    missing: [],
  };
}

/** Whether two comparisons differ at most in the clock of removal. */
export function isSameProgress(one: Comparison, other: Comparison | undefined): boolean {
  return (
    one.savedAt === other?.savedAt && one.upTo === other.upTo && one.orphans.length === other.orphans.length
  );
}

/** Whether so many archives have no record that the database is probably a wrong or restored one. */
export function isSuspicious({ compared, unnamed }: Comparison): boolean {
  return unnamed > 20 && unnamed * 10 > compared;
}

/** How long a machine has been up. A wall clock that is set does not change it. */
export interface Uptime {
  /** Identifies this start of the machine: its boot id or, without one, its host name. */
  readonly boot: string;
  readonly elapsed: Duration;
}

/** The clock of removal follows nodes' clocks at a bounded speed, so that no wrong one removes publications in service. */
export interface RemovalClock {
  /** Ages are judged by this instant, or by a node's own clock if that is earlier. */
  readonly reached: Instant;
  /** The boot and the uptime of the last sweep. */
  readonly boot: string;
  readonly uptime: Duration;
  /** When a sweep of another boot last moved it, by the database's clock; null if the database has none. */
  readonly steppedAt: Instant | null;
}

/** The clocks that a sweep reads. */
export interface SweepClocks {
  readonly now: Instant;
  readonly uptime: Uptime;
  /** Undefined for a database without a clock. */
  readonly database: Instant | undefined;
}

/** The greatest step of a sweep that cannot measure the time since the last one. */
const MAX_STEP: Duration = minutes(20);

/** The minimum time between two such steps. */
const STEP_INTERVAL: Duration = minutes(10);

/** A node whose clock differs by more from the database's removes nothing. */
export const MAX_CLOCK_DIFFERENCE: Duration = seconds(60);

/** A clock of removal that is behind by more needs a person. */
export const MAX_REMOVAL_DELAY: Duration = hours(24);

/** The clock of removal at the first sweep. `earliestEnd`: when the first role with a stored archive ended. */
export function firstRemovalClock(clocks: SweepClocks, earliestEnd: Instant | undefined): RemovalClock {
  const reached = earliestEnd === undefined ? clocks.now : earlier(earliestEnd, clocks.now);
  return { ...bootAndUptime(clocks), reached, steppedAt: clocks.database ?? null };
}

/** The clock of removal after one more sweep: nearer to the sweep's clock, and never back. */
export function movedRemovalClock(last: RemovalClock, clocks: SweepClocks): RemovalClock {
  const { boot, elapsed } = clocks.uptime;
  const isSameBoot = boot === last.boot && elapsed >= last.uptime;
  const isStep = !isSameBoot && mayStep(last, clocks);
  const step = isStep ? MAX_STEP : 0;
  // Twice the time that has passed: a clock of removal that is behind catches up.
  const limit = isSameBoot ? 2 * (elapsed - last.uptime) : step;
  const reached = Math.max(last.reached, Math.min(clocks.now, last.reached + limit)) as Instant;
  return {
    ...bootAndUptime(clocks),
    reached,
    steppedAt: isStep ? (clocks.database ?? null) : last.steppedAt,
  };
}

/** The clock of removal once a person has confirmed the sweep's clock. */
export function caughtUp(clock: RemovalClock, now: Instant): RemovalClock {
  return { ...clock, reached: Math.max(clock.reached, now) as Instant };
}

/** Whether {@link STEP_INTERVAL} is over. A database without a clock is of one machine, which measures it by its uptime. */
function mayStep(
  { uptime, steppedAt }: RemovalClock,
  { uptime: { elapsed }, database }: SweepClocks,
): boolean {
  if (database === undefined) return elapsed - (elapsed >= uptime ? uptime : 0) >= STEP_INTERVAL;
  return steppedAt === null || Math.abs(database - steppedAt) >= STEP_INTERVAL;
}

function bootAndUptime({ uptime: { boot, elapsed } }: SweepClocks): Pick<RemovalClock, 'boot' | 'uptime'> {
  return { boot, uptime: elapsed };
}

export function earlier(one: Instant, other: Instant): Instant {
  return one < other ? one : other;
}

/** Whether a node's clock, read before and after the database's, certainly differs from it too much. */
export function clocksDiffer(askedAt: Instant, database: Instant, answeredAt: Instant): boolean {
  return askedAt - database > MAX_CLOCK_DIFFERENCE || database - answeredAt > MAX_CLOCK_DIFFERENCE;
}
