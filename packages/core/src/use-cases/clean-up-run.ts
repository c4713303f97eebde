import { BY_SYSTEM, type Cause } from '../domain/history.ts';
import { before, type Duration, type Instant, minutes } from '../domain/instant.ts';
import { earlier } from '../domain/reconciliation.ts';
import type { AllPorts } from '../ports/all-ports.ts';
import type { CleanUpReport } from './clean-up-report.ts';

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

type RunPorts = Pick<AllPorts, 'clock' | 'machine' | 'mode'>;

export class CleanUpRun {
  /** Archives and uploads without a record are abandoned if they were made before this instant. */
  readonly abandonedBefore: Instant;
  readonly signal: AbortSignal | undefined;
  readonly cause: Cause;
  readonly isForced: boolean;
  readonly takesOver: boolean;
  readonly #ports: RunPorts;
  readonly #removal: Instant;
  /** On the machine's uptime. */
  readonly #deadline: number;

  /** @param removal where the clock of removal is. */
  constructor(
    { force = false, takeOver = false, time = TIME, signal, cause = BY_SYSTEM }: CleanUpRequest,
    ports: RunPorts,
    removal: Instant,
    orphanAge: Duration,
  ) {
    this.signal = signal;
    this.cause = cause;
    this.isForced = force;
    this.takesOver = takeOver;
    this.#ports = ports;
    this.#removal = removal;
    this.#deadline = ports.machine.uptime().elapsed + time;
    this.abandonedBefore = before(this.judgedAt(), orphanAge);
  }

  now(): Instant {
    return this.#ports.clock.now();
  }

  /** The instant by which everything that is removed for its age is judged. */
  judgedAt(): Instant {
    return earlier(this.now(), this.#removal);
  }

  /** Whether time is left and the service is not read-only. Rejects with the signal's reason when it is aborted. */
  async hasTimeLeft(): Promise<boolean> {
    this.signal?.throwIfAborted();
    const { machine, mode } = this.#ports;
    return machine.uptime().elapsed < this.#deadline && (await mode.load(this.signal)).kind !== 'read_only';
  }
}
