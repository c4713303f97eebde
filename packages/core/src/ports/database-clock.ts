import type { Instant } from '../domain/instant.ts';

/** The clock of the database, which sweeps compare theirs with. Every persistence is one. */
export interface DatabaseClock {
  /** Resolves, to the database's own clock if it has one, when it answers and lets this release run; else rejects. */
  check(signal?: AbortSignal): Promise<Instant | undefined>;
}
