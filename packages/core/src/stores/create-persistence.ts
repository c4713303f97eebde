import type { Persistence } from '../adapter/persistence.ts';
import type { FeedId } from '../domain/history.ts';
import type { Database, DatabaseSchema } from '../records/database.ts';
import { TABLES } from '../records/tables/tables.ts';
import { ACCOUNT_PROGRAMS, accountStore } from './account-store.ts';
import { API_KEY_PROGRAMS, apiKeyStore } from './api-key-store.ts';
import { ATTEMPT_PROGRAMS, attemptCounter } from './attempt-counter.ts';
import { ERASURE_PROGRAMS, erasureStore } from './erasing/erasure-store.ts';
import { HISTORY_PROGRAMS, historyStore } from './history/history-store.ts';
import { IMPORT_PROGRAMS, importStore } from './moving/import-store.ts';
import { SNAPSHOT_PROGRAMS, snapshot } from './moving/snapshot.ts';
import { NAME_PROGRAMS, nameStore } from './name-store.ts';
import { PAIRING_PROGRAMS, pairingStore } from './pairing-store.ts';
import { ROLE_PROGRAMS, roleStore } from './roles/role-store.ts';
import { MODE_PROGRAMS, serviceMode } from './service-mode.ts';
import { SESSION_PROGRAMS, sessionStore } from './session-store.ts';
import { TAKEDOWN_PROGRAMS, takedownStore } from './takedown-store.ts';
import { VIEW_PROGRAMS, viewStore } from './view-store.ts';

/** The tables and programs of all stores, which an engine needs. */
export const STORE_SCHEMA: DatabaseSchema = {
  tables: TABLES,
  programs: [
    ACCOUNT_PROGRAMS,
    API_KEY_PROGRAMS,
    ATTEMPT_PROGRAMS,
    ERASURE_PROGRAMS,
    HISTORY_PROGRAMS,
    IMPORT_PROGRAMS,
    MODE_PROGRAMS,
    NAME_PROGRAMS,
    PAIRING_PROGRAMS,
    ROLE_PROGRAMS,
    SESSION_PROGRAMS,
    SNAPSHOT_PROGRAMS,
    TAKEDOWN_PROGRAMS,
    VIEW_PROGRAMS,
  ].flatMap(({ all }) => all),
};

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
