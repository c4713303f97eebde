import type { FeedId } from '../domain/history.ts';
import type { Persistence } from '../ports/all-ports.ts';
import type { Database, DatabaseSchema } from '../records/database.ts';
import { TABLES } from '../records/tables/tables.ts';
import { accountStore } from './account-store.ts';
import { apiKeyStore } from './api-key-store.ts';
import { attemptCounter } from './attempt-counter.ts';
import { erasureStore } from './erasing/erasure-store.ts';
import { historyStore } from './history/history-store.ts';
import { importStore } from './moving/import-store.ts';
import { snapshot } from './moving/snapshot.ts';
import { nameStore } from './name-store.ts';
import { pairingStore } from './pairing-store.ts';
import { roleStore } from './roles/role-store.ts';
import { serviceMode } from './service-mode.ts';
import { sessionStore } from './session-store.ts';
import { STORE_PROGRAMS } from './store-programs.ts';
import { takedownStore } from './takedown-store.ts';
import { viewStore } from './view-store.ts';

/** The tables and programs of all stores, which an engine needs. */
export const STORE_SCHEMA: DatabaseSchema = { tables: TABLES, programs: STORE_PROGRAMS };

/**
 * Creates all stores over one database, with methods to migrate, check and close it.
 *
 * @param newFeed makes the id of the feed of a new database, and of an import: 32 random hexadecimal digits.
 *
 * @example
 * import type { FeedId } from '@pinfold/core';
 * import { createPersistence, STORE_SCHEMA } from '@pinfold/core/stores';
 * import { createMemoryDatabase } from '@pinfold/memory';
 *
 * const database = createMemoryDatabase(STORE_SCHEMA);
 * const persistence = createPersistence(database, () => crypto.randomUUID().replaceAll('-', '') as FeedId);
 * await persistence.migrate();
 * await persistence.close();
 */
export function createPersistence(database: Database, newFeed: () => FeedId): Persistence {
  return {
    roles: roleStore(database),
    accounts: accountStore(database),
    erasures: erasureStore(database),
    apiKeys: apiKeyStore(database),
    attempts: attemptCounter(database),
    sessions: sessionStore(database),
    history: historyStore(database, newFeed),
    mode: serviceMode(database),
    takedowns: takedownStore(database),
    views: viewStore(database),
    snapshot: snapshot(database),
    imports: importStore(database, newFeed),
    pairings: pairingStore(database),
    names: nameStore(database),
    migrate: () => database.migrate(),
    check: (signal) => database.check(signal),
    close: () => database.close(),
  };
}
