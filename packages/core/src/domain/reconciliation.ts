import type { ArchiveId } from './identity.ts';
import { type Duration, hours, type Instant, instant, minutes, seconds } from './instant.ts';

/** The progress of comparing storage with the records. It is stored after each window of ids, so that any sweep can resume it. */
export interface Comparison {
  readonly savedAt: Instant;
  /** Whether there may be more to do: windows to count, or archives to remove. */
  readonly isUnderWay: boolean;
  /** Whether the last complete comparison found too many archives without a record. */
  readonly isRefused: boolean;
  /** The last id that is counted; null before the first window. */
  readonly upTo: ArchiveId | null;
  /** Archives in storage that were old enough to be judged. */
  readonly compared: number;
  /** Those of them that no record names. */
  readonly unnamed: number;
  /** The first {@link MAX_IDS} of those that are not removed yet. */
  readonly orphans: readonly ArchiveId[];
  /** Archives that a record names and storage does not have: the first {@link MAX_IDS}. */
  readonly missing: readonly ArchiveId[];
  /** Stored with the comparison, and no part of it. */
  readonly removal?: RemovalClock | undefined;
}

export interface ComparedWindow {
  readonly upTo: ArchiveId;
  readonly compared: number;
  readonly orphans: readonly ArchiveId[];
  readonly missing: readonly ArchiveId[];
}

/** The most ids of a kind in a {@link Comparison}: bounds what the store and a node hold. */
export const MAX_IDS = 1_000;

/** The least time from the end of one comparison to the beginning of the next. */
const COMPARISON_INTERVAL: Duration = hours(24);

/** How long after its last window a comparison belongs to the sweep that makes it. */
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

/** One comparison a day, resumed where it stopped. A refusal remains in force until a later comparison passes. */
export function turnOf(
  found: Comparison | undefined,
  now: Instant,
  { isForced, takesOver }: ComparisonRequest,
): ComparisonTurn {
  if (found === undefined) return { kind: 'compare', from: NOT_COMPARED };
  const age = now - found.savedAt;
  // Counts this old are too far from what is there now.
  if (isForced || age >= COMPARISON_INTERVAL) {
    return { kind: 'compare', from: { ...NOT_COMPARED, isRefused: found.isRefused } };
  }
  const isHeld = Math.abs(age) < COMPARISON_LEASE && !takesOver;
  return found.isUnderWay && !isHeld ? { kind: 'compare', from: found } : { kind: 'leave', found };
}

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

/** The comparison at its end. After a refusal its figures stay; else those of the orphans that the next one removes. */
export function finishComparison(comparison: Comparison, isRefused: boolean): Comparison {
  const toBeRemoved = isRefused ? 0 : Math.min(comparison.unnamed, MAX_IDS);
  return {
    ...comparison,
    isUnderWay: false,
    isRefused,
    compared: comparison.compared - toBeRemoved,
    unnamed: comparison.unnamed - toBeRemoved,
    orphans: [],
    missing: [],
  };
}

/** Whether only the clock of removal differs: each window that is stored has an instant of its own. */
export function isSameProgress(one: Comparison, other: Comparison | undefined): boolean {
  return (
    one.savedAt === other?.savedAt && one.upTo === other.upTo && one.orphans.length === other.orphans.length
  );
}

/** More than 20, and more than a tenth of all that are old enough: a wrong or restored database looks like this. */
export function isSuspicious({ compared, unnamed }: Comparison): boolean {
  return unnamed > 20 && unnamed * 10 > compared;
}

/** How long a machine has been up. A wall clock that is set does not change it. */
export interface Uptime {
  /** Identifies this start of the machine: its boot id or, without one, its host name. */
  readonly boot: string;
  readonly elapsed: Duration;
}

/** The clock of removal follows nodes' clocks at a bounded speed: a wrong one cannot end what is in service. */
export interface RemovalClock {
  /** Ages are judged by this instant, or by a node's own clock if that is earlier. */
  readonly reached: Instant;
  /** The boot and the uptime of the last sweep. */
  readonly boot: string;
  readonly uptime: Duration;
  /** When a sweep of another boot last moved it, by the database's clock; null if the database has none. */
  readonly steppedAt: Instant | null;
}

export interface SweepClocks {
  readonly now: Instant;
  readonly uptime: Uptime;
  /** Undefined for a database without a clock. */
  readonly database: Instant | undefined;
}

/** The greatest step of a sweep that cannot measure the time since the last one. */
const MAX_STEP: Duration = minutes(20);

/** The least time between two such steps. */
const STEP_INTERVAL: Duration = minutes(10);

/** A node whose clock differs by more from the database's removes nothing. */
export const MAX_CLOCK_DIFFERENCE: Duration = seconds(60);

/** From here on, a clock of removal that is behind needs a person. */
export const MAX_REMOVAL_DELAY: Duration = hours(24);

/** The clock of removal at the first sweep. `earliestEnd`: of the roles whose archive is stored. */
export function firstRemovalClock(clocks: SweepClocks, earliestEnd: Instant | undefined): RemovalClock {
  const reached = earliestEnd === undefined ? clocks.now : earlier(earliestEnd, clocks.now);
  return { ...markOf(clocks), reached, steppedAt: clocks.database ?? null };
}

/** The clock of removal after one more sweep: nearer to the sweep's clock, and never back. */
export function movedRemovalClock(last: RemovalClock, clocks: SweepClocks): RemovalClock {
  const { boot, elapsed } = clocks.uptime;
  const isSameBoot = boot === last.boot && elapsed >= last.uptime;
  const isStep = !isSameBoot && mayStep(last, clocks);
  const step = isStep ? MAX_STEP : 0;
  const limit = isSameBoot ? 2 * (elapsed - last.uptime) : step;
  const reached = Math.max(last.reached, Math.min(clocks.now, last.reached + limit)) as Instant;
  return {
    ...markOf(clocks),
    reached,
    steppedAt: isStep ? (clocks.database ?? null) : last.steppedAt,
  };
}

/** The clock of removal when a person has confirmed the sweep's clock. */
export function caughtUp(clock: RemovalClock, now: Instant): RemovalClock {
  return { ...clock, reached: Math.max(clock.reached, now) as Instant };
}

/** A database without a clock belongs to one machine, which measures the pause by its uptime. */
function mayStep(
  { uptime, steppedAt }: RemovalClock,
  { uptime: { elapsed }, database }: SweepClocks,
): boolean {
  if (database === undefined) return elapsed - (elapsed >= uptime ? uptime : 0) >= STEP_INTERVAL;
  return steppedAt === null || Math.abs(database - steppedAt) >= STEP_INTERVAL;
}

function markOf({ uptime: { boot, elapsed } }: SweepClocks): Pick<RemovalClock, 'boot' | 'uptime'> {
  return { boot, uptime: elapsed };
}

export function earlier(one: Instant, other: Instant): Instant {
  return one < other ? one : other;
}

/** Whether a node's clock, read before and after the database's, certainly differs too much. */
export function clocksDiffer(asked: Instant, database: Instant, answered: Instant): boolean {
  return asked - database > MAX_CLOCK_DIFFERENCE || database - answered > MAX_CLOCK_DIFFERENCE;
}
