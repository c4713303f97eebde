import type { Instant } from '../domain/instant.ts';

/** The clock of the database, which sweeps compare theirs with. Every persistence is one. */
export interface DatabaseClock {
  /**
   * Resolves when the database answers and its schema lets this release run: to the database's own clock, undefined for one
   * without, such as a file. Rejects otherwise.
   */
  check(signal?: AbortSignal): Promise<Instant | undefined>;
}
