import { randomBytes } from 'node:crypto';
import { isAbsolute } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Clock, FeedId } from '@pinfold/core';
import { type Persistence, raceSignal } from '@pinfold/core/adapter';
import { createPersistence, STORE_SCHEMA } from '@pinfold/core/stores';
import { SqliteDatabase } from './database/sqlite-database.ts';
import { Checkpointer } from './engine/checkpointer.ts';
import { SqliteConnection } from './engine/sqlite-connection.ts';
import { ThreadedWriter } from './writing/threaded-writer.ts';

/** Options of {@link openSqlite}. */
export interface OpenSqliteOptions {
  /** The database file's absolute path. A missing file is created with mode 0600; its folder must exist. */
  readonly file: string;
  /**
   * Waits for locks, 5 s in total, except in the writer's thread. Default: the host's timers. Replace it only in tests: a
   * stopped clock waits forever.
   */
  readonly sleep?: Clock['sleep'] | undefined;
}

/**
 * Opens a SQLite file, and creates it if it is missing. Several processes of one machine may open it. After half a second,
 * a thread starts that makes all further changes. `check` resolves to `undefined`, since a file has no clock.
 *
 * @throws TypeError unless the path is absolute.
 * @throws Fault `store_unavailable` when the file cannot be opened, `store_corrupt` when it is not a database.
 *
 * @example
 * import { openSqlite } from '@pinfold/persistence-sqlite';
 *
 * const { roles, migrate } = await openSqlite({ file: '/var/lib/pinfold/pinfold.sqlite' });
 * await migrate();
 */
export async function openSqlite(options: OpenSqliteOptions): Promise<Persistence> {
  const { file, sleep = (length, signal) => raceSignal(setTimeout(length), signal) } = options;
  if (!isAbsolute(file) || file !== file.trim()) {
    throw new TypeError('the path of the database file must be absolute');
  }
  const checkpointer = new Checkpointer(file);
  const changed = (): void => checkpointer.changed();
  const connection = new SqliteConnection(file, sleep, changed);
  await connection.read(({ prepare }) => prepare('SELECT 1').get());
  const writer = new ThreadedWriter(file, STORE_SCHEMA.programs, changed);
  const database = new SqliteDatabase(connection, STORE_SCHEMA, { checkpointer, writer });
  return createPersistence(database, () => randomBytes(16).toString('hex') as FeedId);
}
