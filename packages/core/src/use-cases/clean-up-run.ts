import { BY_SYSTEM, type Cause } from '../domain/history.ts';
import type { ArchiveId, RoleId } from '../domain/identity.ts';
import { before, type Duration, duration, type Instant, minutes } from '../domain/instant.ts';
import { earlier } from '../domain/reconciliation.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import type { StoredCount } from '../ports/role-cleanup.ts';

/** The report of a sweep, or of a dry run. */
export interface CleanUpReport {
  /** Reservations dropped because of their age. */
  readonly reservations: number;
  /** Ended windows of password tries that were dropped. */
  readonly attempts: number;
  /** Abandoned uploads removed from this node. */
  readonly uploads: number;
  /** Archives of ended roles removed. */
  readonly archives: number;
  /** In a dry run, the first 1,000 publications whose archives would be removed; those that end first come first. */
  readonly ending: readonly RoleId[];
  /** Archives that could not be removed; they are tried again later. */
  readonly failures: number;
  /** Archives old enough to compare, counted by this and earlier sweeps; if `not_due`, those of the last comparison. */
  readonly compared: number;
  /** The orphans among them: archives that no record names. */
  readonly unnamed: number;
  /** Orphans removed. One comparison removes up to 1,000; the next one removes more. */
  readonly orphans: number;
  /** The first 1,000 archives that records name and storage does not have. They are only reported. */
  readonly missing: readonly ArchiveId[];
  /** The first 1,000 publications in service whose archive was removed or is missing; only after a complete comparison. */
  readonly withoutArchive: readonly RoleId[];
  /** The publications and archives after the sweep; null if there was no time to count, and in a dry run. */
  readonly stored: StoredCount | null;
  /**
   * `under_way`: a later sweep resumes the comparison, or another sweep is making it. `refused`: so many archives have no
   * record that the database is probably wrong; no archive is removed until a comparison passes.
   */
  readonly listing: 'done' | 'not_due' | 'under_way' | 'refused';
  /** Whether everything was done; false if time ran out or the service became read-only. */
  readonly finished: boolean;
  /** Whether nothing was done because the service is read-only. */
  readonly rested: boolean;
  /** Whether nothing was done because this machine's clock differs from the database's by more than 60 s. */
  readonly clockDiffers: boolean;
  /** How far the clock of removal is behind this machine's clock, in milliseconds. */
  readonly removalBehind: Duration;
}

/** The result of a step: its counts are added to the report, and its other members replace those of the report. */
export type Step = Partial<CleanUpReport>;

/** A phase of a sweep: yields the result of each step, and returns an outcome for the next phase. */
export type Steps<Outcome = void> = AsyncGenerator<Step, Outcome, void>;

export const OUT_OF_TIME: Step = { finished: false };

/** Counts archives that were removed, and those that could not be. */
export function removedOf(what: 'archives' | 'orphans', areGone: readonly boolean[]): Step {
  const count = areGone.filter(Boolean).length;
  return { [what]: count, failures: areGone.length - count };
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

const ADDED = ['reservations', 'attempts', 'uploads', 'archives', 'orphans', 'failures'] as const;

export function withStep(report: CleanUpReport, step: Step): CleanUpReport {
  const sums = ADDED.map((count) => [count, report[count] + (step[count] ?? 0)] as const);
  return { ...report, ...step, ...Object.fromEntries(sums) };
}

/** The options of a sweep. */
export interface CleanUpRequest {
  /** Compares storage with the records even if that was done recently, and removes even suspiciously many archives. */
  readonly force?: boolean;
  /** Takes a comparison over from another sweep that is making it. */
  readonly takeOver?: boolean;
  /** Moves the clock of removal to this machine's clock. Ask a person first whether that is right. */
  readonly catchUp?: boolean;
  /** Only counts and names what a sweep would remove. */
  readonly dryRun?: boolean;
  /** For a dry run: also counts and names publications that have just ended or end by this instant. */
  readonly endsBefore?: Instant;
  /** The time after which the sweep leaves the rest to the next one; 5 minutes when absent. */
  readonly time?: Duration;
  readonly signal?: AbortSignal;
  /** The cause that the history records. Default: the system. */
  readonly cause?: Cause;
  /** Called after each step with the report so far. */
  readonly onProgress?: (report: CleanUpReport) => void;
}

const TIME: Duration = minutes(5);

/** One sweep under way. */
export interface CleanUpRun extends Pick<Required<CleanUpRequest>, 'cause'> {
  /** Archives and uploads without a record are abandoned if they were made before this instant. */
  readonly abandonedBefore: Instant;
  readonly signal: AbortSignal | undefined;
  readonly isForced: boolean;
  readonly takesOver: boolean;
  now(): Instant;
  /** The instant by which ages are judged: the earlier of the clock and the clock of removal. */
  judgedAt(): Instant;
  /** Whether time is left and, but for a dry run, the service is not read-only. Rejects with the reason of an abort. */
  hasTimeLeft(): Promise<boolean>;
}

/** @param removal the instant of the clock of removal. */
export function beginRun(
  { force = false, takeOver = false, dryRun, time = TIME, signal, cause = BY_SYSTEM }: CleanUpRequest,
  { clock, machine, mode }: Pick<AllPorts, 'clock' | 'machine' | 'mode'>,
  removal: Instant,
  orphanAge: Duration,
): CleanUpRun {
  // Measured by the machine's uptime, since the wall clock may be set.
  const deadline = machine.uptime().elapsed + time;
  const now = () => clock.now();
  const judgedAt = () => earlier(now(), removal);
  return {
    signal,
    cause,
    isForced: force,
    takesOver: takeOver,
    now,
    judgedAt,
    abandonedBefore: before(judgedAt(), orphanAge),
    async hasTimeLeft() {
      signal?.throwIfAborted();
      if (machine.uptime().elapsed >= deadline) return false;
      return dryRun === true || (await mode.load(signal)).kind !== 'read_only';
    },
  };
}
