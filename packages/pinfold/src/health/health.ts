import { type ArchiveStorage, type Clock, type Duration, Fault, type Staging, seconds } from '@pinfold/core';
import type { Observer, Persistence, PortMethod } from '@pinfold/core/adapter';
import { isOutdated, isPromise, sleepUnlessAborted } from '@pinfold/core/internal';
import type { Log } from '../server/log.ts';
import { ClockDifference } from './clock-difference.ts';
import { Dependency, type DependencyState } from './dependency.ts';
import { LowSpace, spaceCheck, type UploadDisk } from './upload-disk.ts';

type Part = 'database' | 'storage' | 'staging';

export type Need = Part | 'clock';

const NEEDS: readonly Need[] = ['database', 'storage', 'staging', 'clock'];

/**
 * Reads what readiness goes by: `none`, or a list of needs joined by commas, to which the database always belongs.
 * `undefined` for anything else.
 */
export function parseNeeds(text: string): readonly Need[] | undefined {
  if (text === 'none') return [];
  const named = text.split(',').map((name) => name.trim());
  if (!named.every((name) => NEEDS.some((need) => need === name))) return undefined;
  return NEEDS.filter((need) => need === 'database' || named.includes(need));
}

export interface HealthReport {
  readonly status: 'ok' | 'degraded' | 'unavailable';
  readonly parts: Readonly<Record<Part, DependencyState>>;
  /** Seconds that this machine's clock is ahead of the database's; null while it is not known. */
  readonly clock: number | null;
}

export interface WatchedPorts {
  readonly persistence: Pick<Persistence, 'check'>;
  readonly archives: Pick<ArchiveStorage, 'check'>;
  readonly staging: Pick<Staging, 'check'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly disk?: UploadDisk | undefined;
}

/** The calls of requests that say whether a part answers. */
const NOTED: Readonly<Record<string, Part>> = {
  'roles load': 'database',
  'roles loadManifest': 'database',
  'api_keys find': 'database',
  'archives read': 'storage',
  'archives put': 'storage',
  'staging receive': 'staging',
};

const PAUSE: Duration = seconds(5);
/** Storage is asked at every third look: it may be far away, and is paid for by the request. */
const STORAGE_EVERY = 3;

/**
 * The dependencies of the server, checked by one timer and by the outcome of requests. Probes are answered from memory:
 * they cost no store anything.
 */
export class Health {
  readonly #clock: ClockDifference = new ClockDifference();
  readonly #parts: Readonly<Record<Part, Dependency>> = {
    database: new Dependency({
      code: 'store_unavailable',
      message: {
        unavailable: 'the database does not answer',
        full: 'the database has no room',
        back: 'the database answers again',
      },
      persistent: { by: isOutdated, message: 'the database needs a newer release' },
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
      persistent: {
        by: (error) => error instanceof LowSpace,
        message: 'the disk for uploads has less space than one archive may need',
      },
    }),
  };

  /** Notes how the calls of requests end that fail only when their part is down: a write may fail though reads work. */
  readonly observer: Observer = (call, method, port) => {
    const part = NOTED[`${port} ${method}`];
    return part === undefined ? call : observeCall(call, this.#parts[part]);
  };

  watch({ persistence, archives, staging, clock, disk }: WatchedPorts): void {
    this.#parts.database.askedBy(async (signal) => {
      const asked = clock.now();
      const checked = await persistence.check(signal);
      this.#clock.note(asked, checked, clock.now());
    });
    this.#parts.storage.askedBy((signal) => archives.check(signal));
    const checkSpace = disk === undefined ? async () => {} : spaceCheck(disk);
    this.#parts.staging.askedBy(async (signal) => {
      await staging.check(signal);
      await checkSpace();
    });
  }

  /** Logs changes; only one of several processes on a machine does. */
  logTo(log: Log): void {
    for (const part of [...Object.values(this.#parts), this.#clock]) part.logTo(log);
  }

  async probe(): Promise<void> {
    await Promise.all(Object.values(this.#parts).map((part) => part.probe()));
  }

  /** Looks again and again until the signal aborts. No part waits for another one. */
  async run(clock: Clock, signal: AbortSignal): Promise<void> {
    const { database, storage, staging } = this.#parts;
    for (let turn = 1; await sleepUnlessAborted(clock, PAUSE, signal); turn += 1) {
      void database.probe();
      void staging.probe();
      if (turn % STORAGE_EVERY === 0) void storage.probe();
    }
    await Promise.all(Object.values(this.#parts).map((part) => part.close()));
  }

  /**
   * Whether all of these work. A storage that is full still serves views, staging without space takes no upload, and a
   * clock may differ from the database's by 60 s.
   */
  has(needs: readonly Need[]): boolean {
    return needs.every((need) => this.#hasOne(need));
  }

  #hasOne(need: Need): boolean {
    if (need === 'clock') return !this.#clock.isGreat;
    return need === 'staging' ? this.#canReceive() : this.#parts[need].state !== 'unavailable';
  }

  /** Throws what an upload would meet, as far as is known, before the client sends it. */
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
    const { database, storage, staging } = this.#parts;
    const { milliseconds } = this.#clock;
    return {
      status: this.#status(),
      parts: { database: database.state, storage: storage.state, staging: staging.state },
      clock: milliseconds === undefined ? null : milliseconds / 1_000,
    };
  }

  #status(): HealthReport['status'] {
    const { database, storage, staging } = this.#parts;
    if (database.state === 'unavailable' || storage.state === 'unavailable') return 'unavailable';
    const isWell = [database, storage, staging].every(({ state }) => state === 'ok');
    return isWell && !this.#clock.isGreat ? 'ok' : 'degraded';
  }
}

function observeCall(call: PortMethod, part: Dependency): PortMethod {
  const answered = (): void => part.answered();
  const failed = (error: unknown): void => part.failed(error);
  return (...inputs) => {
    const result = call(...inputs);
    // Beside the result, not before it, so that its caller waits no longer.
    if (isPromise(result)) result.then(answered, failed);
    else answered();
    return result;
  };
}
