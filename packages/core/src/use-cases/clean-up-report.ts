import type { ArchiveId, RoleId } from '../domain/identity.ts';
import { type Duration, duration } from '../domain/instant.ts';
import type { StoredCount } from '../ports/role-cleanup.ts';

/** What a sweep did, or would have done in a dry run. */
export interface CleanUpReport {
  /** Reservations dropped for their age. */
  readonly reservations: number;
  /** Windows of counted tries that had ended. */
  readonly attempts: number;
  /** Abandoned uploads removed from this node. */
  readonly uploads: number;
  /** Archives of ended roles removed. */
  readonly archives: number;
  /** In a dry run, the publications whose archives would be removed, the first 1,000, longest ended first. */
  readonly ending: readonly RoleId[];
  /** Archives that could not be removed; they are tried again later. */
  readonly failures: number;
  /** Archives that were old enough to compare, by this and earlier sweeps; if `not_due`, of the last comparison. */
  readonly compared: number;
  /** Those of them that no record names. */
  readonly unnamed: number;
  /** Archives without a record removed. One comparison removes 1,000; more wait for the next one. */
  readonly orphans: number;
  /** Archives that records name and storage does not have, the first 1,000: reported, never acted on. */
  readonly missing: readonly ArchiveId[];
  /** Publications in service whose archive was removed or is missing, the first 1,000, by a comparison that was ended. */
  readonly withoutArchive: readonly RoleId[];
  /** What is published and stored after the sweep; null if there was no time to count it, and in a dry run. */
  readonly stored: StoredCount | null;
  /**
   * `under_way`: a later sweep resumes the comparison, or another is making it. `refused`: so many archives had no
   * record that the records are probably wrong: no archive is removed until a comparison passes.
   */
  readonly listing: 'done' | 'not_due' | 'under_way' | 'refused';
  /** Whether everything was done; false when the time was over before, or the service became read-only. */
  readonly finished: boolean;
  /** Whether nothing was done, since the service is read-only. */
  readonly rested: boolean;
  /** Whether nothing was done, since this machine's clock differs from the database's by more than 60 s. */
  readonly clockDiffers: boolean;
  /** How far the clock of removal is behind this machine's clock, in milliseconds. */
  readonly removalBehind: Duration;
}

export type Step =
  | {
      readonly kind: 'removed';
      readonly what: 'reservations' | 'attempts' | 'uploads' | 'archives' | 'orphans';
      readonly count: number;
      readonly failures: number;
    }
  | ({ readonly kind: 'compared' } & Pick<CleanUpReport, 'compared' | 'unnamed' | 'listing'>)
  | { readonly kind: 'missing'; readonly ids: readonly ArchiveId[]; readonly roles: readonly RoleId[] }
  | { readonly kind: 'counted'; readonly stored: StoredCount }
  | { readonly kind: 'ending'; readonly roles: readonly RoleId[] }
  | { readonly kind: 'moved'; readonly removalBehind: Duration }
  | { readonly kind: 'out_of_time' | 'rests' | 'clock_differs' };

/** A phase of a sweep: it yields what each of its steps did, and returns what the next phase needs. */
export type Steps<Outcome = void> = AsyncGenerator<Step, Outcome, void>;

export const OUT_OF_TIME: Step = { kind: 'out_of_time' };

export const READ_ONLY: Step = { kind: 'rests' };

export const CLOCK_DIFFERS: Step = { kind: 'clock_differs' };

export function removed(what: Extract<Step, { kind: 'removed' }>['what'], count: number, failures = 0): Step {
  return { kind: 'removed', what, count, failures };
}

export function removedOf(what: 'archives' | 'orphans', areGone: readonly boolean[]): Step {
  const count = areGone.filter(Boolean).length;
  return removed(what, count, areGone.length - count);
}

export const NOTHING_DONE: CleanUpReport = {
  reservations: 0,
  attempts: 0,
  uploads: 0,
  archives: 0,
  ending: [],
  failures: 0,
  compared: 0,
  unnamed: 0,
  orphans: 0,
  missing: [],
  withoutArchive: [],
  stored: null,
  listing: 'not_due',
  finished: true,
  rested: false,
  clockDiffers: false,
  removalBehind: duration(0),
};

export function withStep(report: CleanUpReport, step: Step): CleanUpReport {
  switch (step.kind) {
    case 'removed':
      return {
        ...report,
        [step.what]: report[step.what] + step.count,
        failures: report.failures + step.failures,
      };
    case 'compared': {
      const { compared, unnamed, listing } = step;
      return { ...report, compared, unnamed, listing };
    }
    case 'missing':
      return { ...report, missing: step.ids, withoutArchive: step.roles };
    case 'counted':
      return { ...report, stored: step.stored };
    case 'ending':
      return { ...report, ending: step.roles };
    case 'moved':
      return { ...report, removalBehind: step.removalBehind };
    case 'out_of_time':
      return { ...report, finished: false };
    case 'rests':
      return { ...report, finished: false, rested: true };
    case 'clock_differs':
      return { ...report, finished: false, clockDiffers: true };
    default:
      return step satisfies never;
  }
}
