import { isAbsolute } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { ApiKeyStore, AttemptCounter, Clock, RoleStore, SessionStore } from '@pinfold/core';
import { Checkpointer } from './checkpointer.ts';
import { checkSchema, migrate } from './migrate.ts';
import { SqliteApiKeyStore } from './sqlite-api-key-store.ts';
import { SqliteAttemptCounter } from './sqlite-attempt-counter.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { SqliteRoleStore } from './sqlite-role-store.ts';
import { SqliteSessionStore } from './sqlite-session-store.ts';

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

/** Every store of one database, and what its life needs. */
export interface SqlitePersistence {
  readonly roles: RoleStore;
  readonly apiKeys: ApiKeyStore;
  readonly attempts: AttemptCounter;
  readonly sessions: SessionStore;
  /**
   * Brings the schema up to this release. Call it once before anything else; several processes may at once.
   *
   * @throws Fault `store_unavailable` when the database was migrated by a release that this one is too old for.
   */
  migrate(): Promise<void>;
  /**
   * Resolves when the database answers and lets this release run; else rejects as any store does. With no instant: a
   * file has no clock of its own.
   */
  check(signal?: AbortSignal): Promise<undefined>;
  /** Closes the database; again it does nothing. Whatever is asked afterwards is `store_unavailable`. */
  close(): Promise<void>;
}

/**
 * Opens a SQLite file, or makes it. Any number of processes of one machine may have it open.
 *
 * @throws TypeError unless the path is absolute.
 * @throws Fault `store_unavailable` when the file cannot be opened, `store_corrupt` when it is no database.
 */
export async function openSqlite(options: OpenSqliteOptions): Promise<SqlitePersistence> {
  const { file, sleep = sleepByTimer } = options;
  if (!isAbsolute(file) || file !== file.trim()) {
    throw new TypeError('the path of the database file must be absolute');
  }
  const checkpointer = new Checkpointer(file);
  const connection = new SqliteConnection(file, sleep, () => checkpointer.changed());
  await connection.read((prepare) => prepare('SELECT 1').get());
  return {
    roles: new SqliteRoleStore(connection),
    apiKeys: new SqliteApiKeyStore(connection),
    attempts: new SqliteAttemptCounter(connection),
    sessions: new SqliteSessionStore(connection),
    migrate: () => migrate(connection),
    check: (signal) => checkSchema(connection, signal),
    close: async () => {
      connection.close();
      await checkpointer.close();
    },
  };
}

async function sleepByTimer(length: number, signal?: AbortSignal): Promise<void> {
  try {
    await setTimeout(length, undefined, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
