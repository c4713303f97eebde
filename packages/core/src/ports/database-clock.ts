import type { Instant } from '../domain/instant.ts';

/** The clock of the database, which sweeps compare theirs with. Every persistence is one. */
export interface DatabaseClock {
  /** Resolves to the database's own clock, if any, when it answers with a schema for this release; else rejects. */
  check(signal?: AbortSignal): Promise<Instant | undefined>;
}
