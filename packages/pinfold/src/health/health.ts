import {
  type ArchiveStorage,
  type Clock,
  type Duration,
  Fault,
  type Instant,
  type Staging,
  seconds,
} from '@pinfold/core';
import type { Observer, Persistence, PortMethod } from '@pinfold/core/adapter';
import {
  isPromise,
  MAX_CLOCK_DIFFERENCE,
  needsNewerRelease,
  refusalOf,
  sleepUnlessAborted,
} from '@pinfold/core/internal';
import type { Log } from '../server/log.ts';
import {
  createSpaceCheck,
  Dependency,
  type DependencyState,
  LowSpace,
  Refusals,
  TIMEOUTS,
  type UploadDisk,
} from './dependency.ts';

type Part = 'database' | 'storage' | 'staging';

export type Need = Part | 'clock';

const NEEDS: readonly Need[] = ['database', 'storage', 'staging', 'clock'];

/**
 * Parses the needs of readiness: `none`, or a list separated by commas; the database is always added. `undefined` for
 * any other text.
 */
export function parseNeeds(text: string): readonly Need[] | undefined {
  if (text === 'none') return [];
  const names = text.split(',').map((name) => name.trim());
  if (!names.every((name) => NEEDS.some((need) => need === name))) return undefined;
  return NEEDS.filter((need) => need === 'database' || names.includes(need));
}

export interface HealthReport {
  readonly status: 'ok' | 'degraded' | 'unavailable';
  readonly parts: Readonly<Record<Part, DependencyState>>;
  /** Seconds by which this machine's clock is ahead of the database's; null until it is known. */
  readonly clock: number | null;
}

interface WatchedPorts {
  readonly persistence: Pick<Persistence, 'check'>;
  readonly archives: Pick<ArchiveStorage, 'check'>;
  readonly staging: Pick<Staging, 'check'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly disk?: UploadDisk | undefined;
}

/** The calls of requests whose outcome shows whether a part answers. */
const OBSERVED_CALLS: Readonly<Record<string, Part>> = {
  'roles load': 'database',
  'roles loadManifest': 'database',
  'api_keys find': 'database',
  'archives read': 'storage',
  'archives put': 'storage',
  'staging receive': 'staging',
};

const PAUSE: Duration = seconds(5);
/** Storage is probed every third time: it may be far away, and each request may cost money. */
const STORAGE_EVERY = 3;

/**
 * Checks the dependencies of the server by a timer and by the outcome of requests. Answers health requests from
 * memory, so that they cost the stores nothing.
 */
export class Health {
  readonly #clock: ClockDifference = new ClockDifference();
  readonly #refusals: Refusals = new Refusals();
  readonly #parts: Readonly<Record<Part, Dependency>> = {
    database: new Dependency({
      code: 'store_unavailable',
      message: {
        unavailable: 'the database does not answer',
        full: 'the database has no room',
        back: 'the database answers again',
      },
      persistent: (error) => (needsNewerRelease(error) ? 'the database needs a newer release' : undefined),
    }),
    storage: new Dependency({
      code: 'storage_unavailable',
      message: {
        unavailable: 'the storage does not answer',
        full: 'the storage has no room',
        back: 'the storage answers again',
      },
    }),
    staging: new Dependency({
      code: 'staging_unavailable',
      message: {
        unavailable: 'uploads cannot be received now',
        full: 'the disk for uploads is full',
        back: 'uploads can be received again',
      },
      persistent: (error) =>
        error instanceof LowSpace
          ? 'the disk for uploads has less space than one archive may need'
          : undefined,
    }),
  };

  /**
   * Records the outcome of calls that fail only if their part is down, and what the database refuses to any call. Ignores
   * other failures: a write may fail while reads work.
   */
  readonly observer: Observer = (call, method, port) => {
    const part = OBSERVED_CALLS[`${port} ${method}`];
    const answered = part && (() => this.#parts[part].answered());
    return observeCall(call, answered, (error) => this.#meetFailure(part, error));
  };

  #meetFailure(part: Part | undefined, error: unknown): void {
    const refusal = refusalOf(error);
    if (refusal !== undefined) {
      this.#refusals.meet(refusal, error);
      // Perhaps it has no open connection left.
      if (refusal.refused === 'connections') this.#parts.database.probeEarly();
    } else if (part !== undefined) this.#parts[part].failed(error);
  }

  watch({ persistence, archives, staging, clock, disk }: WatchedPorts): void {
    this.#parts.database.probeWith(async (signal) => {
      const askedAt = clock.now();
      try {
        this.#clock.record(askedAt, await persistence.check(signal), clock.now());
      } catch (error) {
        if (refusalOf(error)?.refused !== 'changes') throw error;
        this.#meetFailure('database', error);
      }
      this.#refusals.logState();
    });
    this.#parts.storage.probeWith((signal) => archives.check(signal));
    const checkSpace = disk === undefined ? async () => {} : createSpaceCheck(disk);
    this.#parts.staging.probeWith(async (signal) => {
      await staging.check(signal);
      await checkSpace();
    });
  }

  /** Logs changes of what all processes of a machine see. Only one of them should. */
  logTo(log: Log): void {
    for (const part of [...Object.values(this.#parts), this.#clock]) part.logTo(log);
  }

  /** Logs what the database refuses. Each process should: it sees only what it tried. */
  logRefusalsTo(log: Log): void {
    this.#refusals.logTo(log);
  }

  async probe(): Promise<void> {
    await Promise.all(Object.values(this.#parts).map((part) => part.probe()));
  }

  /** Probes all parts repeatedly until the signal aborts. Parts do not wait for each other. */
  async run(clock: Clock, signal: AbortSignal): Promise<void> {
    const { database, storage, staging } = this.#parts;
    for (let round = 1; await sleepUnlessAborted(clock, PAUSE, signal); round += 1) {
      void database.probe();
      void staging.probe();
      if (round % STORAGE_EVERY === 0) void storage.probe();
    }
    await Promise.all(Object.values(this.#parts).map((part) => part.close()));
  }

  /**
   * Whether all needs are met. A full storage still serves views; staging without space receives nothing; a clock may
   * differ from the database's by 60 s.
   */
  meets(needs: readonly Need[]): boolean {
    return needs.every((need) => this.#isMet(need));
  }

  #isMet(need: Need): boolean {
    if (need === 'clock') return !this.#clock.isTooLarge;
    return need === 'staging' ? this.#canReceive() : this.#parts[need].state !== 'unavailable';
  }

  /** Throws the known failure of staging before the client sends its upload. */
  admitUpload(): void {
    if (this.#canReceive()) return;
    const { error } = this.#parts.staging;
    throw new Fault('staging_unavailable', 'uploads could not be received a moment ago', { cause: error });
  }

  #canReceive(): boolean {
    const { state } = this.#parts.staging;
    return state === 'ok' || state === 'slow';
  }

  report(): HealthReport {
    const { storage, staging } = this.#parts;
    const { milliseconds } = this.#clock;
    return {
      status: this.#status(),
      parts: { database: this.#databaseState(), storage: storage.state, staging: staging.state },
      clock: milliseconds === undefined ? null : milliseconds / 1_000,
    };
  }

  /** What it refuses shows only while it answers. */
  #databaseState(): DependencyState {
    const { state } = this.#parts.database;
    const { state: refused } = this.#refusals;
    return refused !== 'ok' && (state === 'ok' || state === 'slow') ? refused : state;
  }

  #status(): HealthReport['status'] {
    const { storage, staging } = this.#parts;
    const states = [this.#databaseState(), storage.state];
    if (states.includes('unavailable')) return 'unavailable';
    const areOk = [...states, staging.state].every((state) => state === 'ok');
    return areOk && !this.#clock.isTooLarge ? 'ok' : 'degraded';
  }
}

function observeCall(
  call: PortMethod,
  answered: (() => void) | undefined,
  failed: (error: unknown) => void,
): PortMethod {
  return (...inputs) => {
    const result = call(...inputs);
    // Observes the promise without delaying the caller.
    if (isPromise(result)) result.then(answered, failed);
    else answered?.();
    return result;
  };
}

/** Measures how far this machine's clock is ahead of the database's. */
export class ClockDifference {
  #milliseconds: number | undefined;
  #log: Log | undefined;

  /** In milliseconds, negative if this clock is behind; `undefined` until it is measured. */
  get milliseconds(): number | undefined {
    return this.#milliseconds;
  }

  /** Whether sites could end noticeably early or late; this machine then removes nothing. */
  get isTooLarge(): boolean {
    return Math.abs(this.#milliseconds ?? 0) > MAX_CLOCK_DIFFERENCE;
  }

  logTo(log: Log): void {
    this.#log = log;
  }

  /**
   * Records the database's time, read between two times of this clock; `undefined` for a database without a clock,
   * which cannot differ.
   */
  record(askedAt: Instant, databaseNow: Instant | undefined, answeredAt: Instant): void {
    if (answeredAt - askedAt > TIMEOUTS.slow) return;
    const before = this.isTooLarge;
    this.#milliseconds = databaseNow === undefined ? 0 : Math.round((askedAt + answeredAt) / 2 - databaseNow);
    if (this.isTooLarge && !before) this.#log?.warn(formatDifference(this.#milliseconds));
    if (!this.isTooLarge && before) this.#log?.info("this machine's clock agrees with the database's again");
  }
}

function formatDifference(milliseconds: number): string {
  const seconds = Math.round(Math.abs(milliseconds) / 100) / 10;
  const direction = milliseconds > 0 ? 'ahead of' : 'behind';
  return `this machine's clock is ${seconds} s ${direction} the database's, so it cleans nothing up`;
}
