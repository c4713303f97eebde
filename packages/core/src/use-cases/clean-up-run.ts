import { BY_SYSTEM, type Cause } from '../domain/history.ts';
import type { ArchiveId, RoleId } from '../domain/identity.ts';
import { before, type Duration, duration, type Instant, minutes } from '../domain/instant.ts';
import { earlier } from '../domain/reconciliation.ts';
import type { AllPorts } from '../ports/all-ports.ts';
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

/** What a step did: its counts are added to those of the report, and all else replaces what the report says. */
export type Step = Partial<CleanUpReport>;

/** A phase of a sweep: it yields what each of its steps did, and returns what the next phase needs. */
export type Steps<Outcome = void> = AsyncGenerator<Step, Outcome, void>;

export const OUT_OF_TIME: Step = { finished: false };

/** Counts archives that are gone, and those that could not be removed. */
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

/** How a sweep is run. */
export interface CleanUpRequest {
  /** Compares storage with the records even if that was done lately, and removes even suspiciously many archives. */
  readonly force?: boolean;
  /** Takes a comparison over from another sweep that is making it. */
  readonly takeOver?: boolean;
  /** Judges ages by this machine's clock alone, and lets later sweeps do so, too: ask a person whether it is right. */
  readonly catchUp?: boolean;
  readonly dryRun?: boolean;
  /** How long the sweep may go on before it leaves the rest to the next one; 5 minutes when absent. */
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
  /** The instant by which everything that is removed for its age is judged. */
  judgedAt(): Instant;
  /** Whether time is left and the service is not read-only. Rejects with the signal's reason when it is aborted. */
  hasTimeLeft(): Promise<boolean>;
}

/** @param removal where the clock of removal is. */
export function beginRun(
  { force = false, takeOver = false, time = TIME, signal, cause = BY_SYSTEM }: CleanUpRequest,
  { clock, machine, mode }: Pick<AllPorts, 'clock' | 'machine' | 'mode'>,
  removal: Instant,
  orphanAge: Duration,
): CleanUpRun {
  // On the machine's uptime.
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
      return machine.uptime().elapsed < deadline && (await mode.load(signal)).kind !== 'read_only';
    },
  };
}
