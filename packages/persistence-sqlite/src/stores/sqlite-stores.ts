import type { Persistence } from '@pinfold/core/adapter';
import type { Checkpointer } from '../engine/checkpointer.ts';
import type { SqliteConnection } from '../engine/sqlite-connection.ts';
import { checkSchema, migrate } from '../schema/migrate.ts';
import { sqliteAccountStore } from './sqlite-account-store.ts';
import { sqliteApiKeyStore } from './sqlite-api-key-store.ts';
import { sqliteAttemptCounter } from './sqlite-attempt-counter.ts';
import { sqliteHistoryStore } from './sqlite-history-store.ts';
import { sqliteImport } from './sqlite-import.ts';
import { sqliteNameStore } from './sqlite-name-store.ts';
import { sqlitePairingStore } from './sqlite-pairing-store.ts';
import { sqliteRoleStore } from './sqlite-role-store.ts';
import { sqliteServiceMode } from './sqlite-service-mode.ts';
import { sqliteSessionStore } from './sqlite-session-store.ts';
import { sqliteSnapshot } from './sqlite-snapshot.ts';
import { sqliteTakedownStore } from './sqlite-takedown-store.ts';
import { sqliteViewStore } from './sqlite-view-store.ts';

/** Separate from `openSqlite`, so that its declarations mention no type of better-sqlite3, which ships none. */
export function sqliteStores(
  connection: SqliteConnection,
  checkpointer: Pick<Checkpointer, 'close'>,
): Persistence {
  return {
    roles: sqliteRoleStore(connection),
    accounts: sqliteAccountStore(connection),
    apiKeys: sqliteApiKeyStore(connection),
    attempts: sqliteAttemptCounter(connection),
    sessions: sqliteSessionStore(connection),
    history: sqliteHistoryStore(connection),
    mode: sqliteServiceMode(connection),
    takedowns: sqliteTakedownStore(connection),
    views: sqliteViewStore(connection),
    pairings: sqlitePairingStore(connection),
    names: sqliteNameStore(connection),
    snapshot: sqliteSnapshot(connection),
    imports: sqliteImport(connection),
    migrate: (scope) => migrate(connection, undefined, scope),
    check: (signal) => checkSchema(connection, signal),
    close: async () => {
      connection.close();
      await checkpointer.close();
    },
  };
}
