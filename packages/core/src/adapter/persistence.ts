import type { Stores } from '../ports/all-ports.ts';
import type { DatabaseClock } from '../ports/database-clock.ts';

/** Every store of one database, and what its life needs. */
export interface Persistence extends Stores, DatabaseClock {
  /**
   * Brings the schema up to this release. Call it once before anything else; any number of nodes may at once.
   *
   * @throws Fault `store_unavailable` when the schema was migrated by a release that this one is too old for.
   */
  migrate(): Promise<void>;
  /** Closes the handle. Later calls fail with `store_unavailable`; closing again does nothing. */
  close(): Promise<void>;
}

/** A member of {@link Persistence} that is a store. */
export type StoreName = keyof Stores;

/** Every store of a persistence: this does not compile when one is missing. */
export const STORES = Object.keys({
  roles: true,
  accounts: true,
  erasures: true,
  apiKeys: true,
  attempts: true,
  sessions: true,
  history: true,
  mode: true,
  takedowns: true,
  views: true,
  snapshot: true,
  imports: true,
  pairings: true,
  names: true,
} satisfies Record<StoreName, true>) as readonly StoreName[];
