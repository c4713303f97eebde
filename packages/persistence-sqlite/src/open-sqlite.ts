import { isAbsolute } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Clock, Duration } from '@pinfold/core';
import { type Persistence, unlessAborted } from '@pinfold/core/adapter';
import { Checkpointer } from './checkpointer.ts';
import { checkSchema, migrate } from './migrate.ts';
import { sqliteAccountStore } from './sqlite-account-store.ts';
import { sqliteApiKeyStore } from './sqlite-api-key-store.ts';
import { sqliteAttemptCounter } from './sqlite-attempt-counter.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { sqliteHistoryStore } from './sqlite-history-store.ts';
import { sqlitePairingStore } from './sqlite-pairing-store.ts';
import { sqliteRoleStore } from './sqlite-role-store.ts';
import { sqliteSessionStore } from './sqlite-session-store.ts';
import { sqliteTakedownStore } from './sqlite-takedown-store.ts';
import { sqliteViewStore } from './sqlite-view-store.ts';

/** What {@link openSqlite} needs. */
export interface OpenSqliteOptions {
  /** The database file's absolute path. It is made with mode 0600 when it is not there; its folder must be. */
  readonly file: string;
  /**
   * Waits while another process holds the lock, a few milliseconds at a time and 5 seconds in all. The default uses the
   * host's timers; give another one only to tests of waiting, since a clock that stands still would wait for ever.
   */
  readonly sleep?: Clock['sleep'];
}

/**
 * Opens a SQLite file, or makes it. Any number of processes of one machine may have it open. Its `check` tells no
 * instant: a file has no clock of its own.
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
    takedowns: sqliteTakedownStore(connection),
    views: sqliteViewStore(connection),
    pairings: sqlitePairingStore(connection),
    migrate: () => migrate(connection),
    check: (signal) => checkSchema(connection, signal),
    close: async () => {
      connection.close();
      await checkpointer.close();
    },
  };
}

function sleepByTimer(length: Duration, signal?: AbortSignal): Promise<void> {
  return unlessAborted(setTimeout(length), signal);
}
