import type { Stores } from '../ports/all-ports.ts';
import type { Database } from '../records/database.ts';

/** All stores of one database, and the methods to open and close it. */
export interface Persistence extends Stores, Pick<Database, 'migrate' | 'check' | 'close'> {}

/** A member of {@link Persistence} that is a store. */
export type StoreName = keyof Stores;

/** The names of all stores. A missing one does not compile. */
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
