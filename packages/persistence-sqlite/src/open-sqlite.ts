import { isAbsolute } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Clock, Duration } from '@pinfold/core';
import { type Persistence, raceSignal } from '@pinfold/core/adapter';
import { Checkpointer } from './checkpointer.ts';
import { handleOn } from './handle.ts';
import { SqliteConnection } from './sqlite-connection.ts';

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

function sleepByTimer(length: Duration, signal?: AbortSignal): Promise<void> {
  return raceSignal(setTimeout(length), signal);
}
