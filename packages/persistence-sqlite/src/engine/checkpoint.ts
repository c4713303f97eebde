import { parentPort } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { CommitWatch } from './commit-watch.ts';
import { isOfSqlite } from './sqlite-errors.ts';
import { pageBytesOf } from './sqlite-file.ts';

/** A log of this length, in bytes, is restarted even though writers must wait for it. */
const LONG_LOG = 33_554_432;

type Checkpoint = Readonly<Record<'busy' | 'log' | 'checkpointed', number>>;

/** Milliseconds to wait for other connections. Meanwhile, all writers wait as well. */
const BUSY_TIMEOUT = 20;

/**
 * Copies the write-ahead log into the file and syncs both. Restarts a log that is copied whole or very long: under constant
 * writes, only a checkpoint with the write lock can copy its end.
 */
export function checkpoint(file: string, longLog: number = LONG_LOG): void {
  // Opens a connection each time. If the file was replaced, an open connection to the old one could, as the last to close,
  // remove the log of the new one.
  const database = new Database(file, { fileMustExist: true, timeout: BUSY_TIMEOUT });
  try {
    // For the write in `restartLog`.
    database.pragma('synchronous = FULL');
    database.prepare('SELECT 1 FROM sqlite_schema').get();
    // A recovered log must not be copied before the stores have flushed it, which they do before their first commit.
    if (CommitWatch.of(file)?.hasCommitsSinceRecovery() === false) return;
    // `busy` is 1 while another process copies the log; `log` counts its pages, `checkpointed` those that were copied.
    const [{ busy, log, checkpointed }] = database.pragma('wal_checkpoint(PASSIVE)') as [Checkpoint];
    if (busy === 0 && (log === checkpointed || log * pageBytesOf(database) > longLog)) restartLog(database);
  } finally {
    database.close();
  }
}

/** Restarts the log, and writes into it once: the first write syncs its header, for which no request should wait. */
function restartLog(database: Database.Database): void {
  const [{ busy }] = database.pragma('wal_checkpoint(RESTART)') as [{ busy: 0 | 1 }];
  if (busy === 1) return;
  database.exec('BEGIN IMMEDIATE');
  database.pragma(`user_version = ${database.pragma('user_version', { simple: true })}`);
  database.exec('COMMIT');
}

// The main function of the thread that a `Checkpointer` starts.
parentPort?.on('message', (file: string) => {
  try {
    checkpoint(file);
  } catch (error) {
    // Ignores a full disk or a missing file, which the stores report. The next checkpoint copies the rest of the log.
    if (!isOfSqlite(error)) throw error;
  }
  parentPort?.postMessage('done');
});
