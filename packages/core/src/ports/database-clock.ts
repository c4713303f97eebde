import type { Instant } from '../domain/instant.ts';

/** The clock of the database, with which sweeps compare the machine's. */
export interface DatabaseClock {
  /**
   * Checks that the database answers and that this release can run on its schema; rejects if not. Resolves to the database's
   * clock, or undefined for a database without one, such as a file.
   */
  check(signal?: AbortSignal): Promise<Instant | undefined>;
}
