import type { Duration, Instant } from '../domain/instant.ts';
import type { Uptime } from '../domain/reconciliation.ts';

/** The only source of time and of waiting in Pinfold. */
export interface Clock {
  /** @promise clock/now: the time is an integer of milliseconds, and moves back only if the clock of the host does */
  now(): Instant;

  /**
   * @promise clock/sleep: a sleep resolves no earlier than after its duration
   * @promise clock/sleep-aborted: an aborted signal rejects immediately with its reason, and leaves no timer
   */
  sleep(length: Duration, signal?: AbortSignal): Promise<void>;
}

/** The clock of the database, with which sweeps compare the machine's. */
export interface DatabaseClock {
  /**
   * Checks that the database answers and that this release can run on its schema; rejects if not. Resolves to the database's
   * clock, or undefined for a database without one, such as a file.
   */
  check(signal?: AbortSignal): Promise<Instant | undefined>;
}

/** The machine that the process runs on. */
export interface Machine {
  /** The boot is the same for all processes of the machine until it restarts; setting a clock does not change the uptime. */
  uptime(): Uptime;
}
