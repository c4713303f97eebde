import { isAbsolute } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Clock, Duration } from '@pinfold/core';
import { type Persistence, raceSignal } from '@pinfold/core/adapter';
import { Checkpointer } from './engine/checkpointer.ts';
import { SqliteConnection } from './engine/sqlite-connection.ts';
import { checkSchema, migrate } from './schema/migrate.ts';
import { sqliteAccountStore } from './stores/sqlite-account-store.ts';
import { sqliteApiKeyStore } from './stores/sqlite-api-key-store.ts';
import { sqliteAttemptCounter } from './stores/sqlite-attempt-counter.ts';
import { sqliteHistoryStore } from './stores/sqlite-history-store.ts';
import { sqliteImport } from './stores/sqlite-import.ts';
import { sqlitePairingStore } from './stores/sqlite-pairing-store.ts';
import { sqliteRoleStore } from './stores/sqlite-role-store.ts';
import { sqliteServiceMode } from './stores/sqlite-service-mode.ts';
import { sqliteSessionStore } from './stores/sqlite-session-store.ts';
import { sqliteSnapshot } from './stores/sqlite-snapshot.ts';
import { sqliteTakedownStore } from './stores/sqlite-takedown-store.ts';
import { sqliteViewStore } from './stores/sqlite-view-store.ts';

/** What {@link openSqlite} needs. */
export interface OpenSqliteOptions {
  /** The database file's absolute path. A missing file is created with mode 0600; its folder must exist. */
  readonly file: string;
  /**
   * Waits while another process holds the lock, a few milliseconds at a time and 5 s in total. The default uses the
   * host's timers; replace it only in tests, since a clock that does not advance would wait for ever.
   */
  readonly sleep?: Clock['sleep'];
}

/**
 * Opens a SQLite file, and creates it if it is missing. Several processes of one machine may open it. `check` resolves
 * to `undefined`, because a file has no clock.
 *
 * @throws TypeError unless the path is absolute.
 * @throws Fault `store_unavailable` when the file cannot be opened, `store_corrupt` when it is no database.
 *
 * @example
 * import { openSqlite } from '@pinfold/persistence-sqlite';
 *
 * const { roles, migrate } = await openSqlite({ file: '/var/lib/pinfold/pinfold.sqlite' });
 * await migrate();
 */
export async function openSqlite(options: OpenSqliteOptions): Promise<Persistence> {
  const { file, sleep = sleepByTimer } = options;
  if (!isAbsolute(file) || file !== file.trim()) {
    throw new TypeError('the path of the database file must be absolute');
  }
  const checkpointer = new Checkpointer(file);
  const connection = new SqliteConnection(file, sleep, () => checkpointer.changed());
  await connection.read((prepare) => prepare('SELECT 1').get());
  return handleOn(connection, checkpointer);
}

function sleepByTimer(length: Duration, signal?: AbortSignal): Promise<void> {
  return raceSignal(setTimeout(length), signal);
}

/** The stores of one connection. */
export function handleOn(
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
