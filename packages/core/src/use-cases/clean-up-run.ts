import { BY_SYSTEM, type Cause } from '../domain/history.ts';
import { after, before, type Duration, type Instant, minutes } from '../domain/instant.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import type { Clock } from '../ports/clock.ts';
import type { ServiceMode } from '../ports/service-mode.ts';
import type { CleanUpReport } from './clean-up-report.ts';

/** How a sweep is run. */
export interface CleanUpRequest {
  /** Compares storage with the records even if that was done lately, and removes even suspiciously many archives. */
  readonly force?: boolean;
  /** Takes a comparison over from another sweep that is making it. */
  readonly takeOver?: boolean;
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

export class CleanUpRun {
  readonly start: Instant;
  /** Archives and uploads without a record are abandoned if they were made before this instant. */
  readonly abandonedBefore: Instant;
  readonly signal: AbortSignal | undefined;
  readonly cause: Cause;
  readonly isForced: boolean;
  readonly takesOver: boolean;
  readonly #clock: Clock;
  readonly #mode: ServiceMode;
  readonly #deadline: Instant;

  constructor(
    { force = false, takeOver = false, time = TIME, signal, cause = BY_SYSTEM }: CleanUpRequest,
    { clock, mode }: Pick<AllPorts, 'clock' | 'mode'>,
    orphanAge: Duration,
  ) {
    this.start = clock.now();
    this.abandonedBefore = before(this.start, orphanAge);
    this.signal = signal;
    this.cause = cause;
    this.isForced = force;
    this.takesOver = takeOver;
    this.#clock = clock;
    this.#mode = mode;
    this.#deadline = after(this.start, time);
  }

  now(): Instant {
    return this.#clock.now();
  }

  /** Whether time is left and the service is not read-only. Rejects with the signal's reason when it is aborted. */
  async hasTimeLeft(): Promise<boolean> {
    this.signal?.throwIfAborted();
    return this.now() < this.#deadline && !(await this.isReadOnly());
  }

  async isReadOnly(): Promise<boolean> {
    return (await this.#mode.load(this.signal)).kind === 'read_only';
  }
}
