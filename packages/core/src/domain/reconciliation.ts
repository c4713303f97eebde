import type { ArchiveId } from './identity.ts';
import { type Duration, hours, type Instant, instant, minutes } from './instant.ts';
import type { RemovalClock } from './removal-clock.ts';

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
const PAUSE: Duration = hours(24);

/** How long after its last window a comparison belongs to the sweep that makes it. */
const HELD: Duration = minutes(2);

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
  if (isForced || age >= PAUSE) {
    return { kind: 'compare', from: { ...NOT_COMPARED, isRefused: found.isRefused } };
  }
  const isHeld = Math.abs(age) < HELD && !takesOver;
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
export function ended(comparison: Comparison, isRefused: boolean): Comparison {
  const listed = isRefused ? 0 : Math.min(comparison.unnamed, MAX_IDS);
  return {
    ...comparison,
    isUnderWay: false,
    isRefused,
    compared: comparison.compared - listed,
    unnamed: comparison.unnamed - listed,
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
