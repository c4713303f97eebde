import { parentPort } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { CommitWatch } from './commit-watch.ts';
import { isOfSqlite } from './sqlite-errors.ts';
import { pageBytesOf } from './sqlite-file.ts';

/** From this length, in bytes of pages, the log restarts even though writers must wait for that. */
const LONG_LOG = 33_554_432;

type Checkpoint = Readonly<Record<'busy' | 'log' | 'checkpointed', number>>;

/** Milliseconds to wait for other connections. Waiting for readers, such as a slow backup, blocks all writers. */
const PATIENCE = 20;

/**
 * Copies the write-ahead log into the file and syncs both. With continuous writes a long log never restarts unless the
 * write lock is taken to copy the little that is left.
 */
export function checkpoint(file: string, longLog: number = LONG_LOG): void {
  // Opens a connection each time: one that stayed open after the file was replaced would, as the last to close, remove
  // the new file's log.
  const database = new Database(file, { fileMustExist: true, timeout: PATIENCE });
  try {
    // Its own write is part of the log like any other.
    database.pragma('synchronous = FULL');
    database.prepare('SELECT 1 FROM sqlite_schema').get();
    // The stores flush a log that was just recovered before they commit; until then it must not be copied.
    if (CommitWatch.of(file)?.hasCommits() === false) return;
    // `busy` is 1 while another process copies the log. The others are its pages, and how many the file has now.
    const [{ busy, log, checkpointed }] = database.pragma('wal_checkpoint(PASSIVE)') as [Checkpoint];
    if (busy === 0 && (log === checkpointed || log * pageBytesOf(database) > longLog)) beginAnew(database);
  } finally {
    database.close();
  }
}

/** The first write into a restarted log syncs its header, so this write spares a request from doing it. */
function beginAnew(database: Database.Database): void {
  const [{ busy }] = database.pragma('wal_checkpoint(RESTART)') as [{ busy: 0 | 1 }];
  if (busy === 1) return;
  database.exec('BEGIN IMMEDIATE');
  database.pragma(`user_version = ${database.pragma('user_version', { simple: true })}`);
  database.exec('COMMIT');
}

// The whole of the thread that a checkpointer starts from this file.
parentPort?.on('message', (file: string) => {
  try {
    checkpoint(file);
  } catch (error) {
    // The stores report a full disk or a missing file. The log stays, and the next checkpoint copies more.
    if (!isOfSqlite(error)) throw error;
  }
  parentPort?.postMessage('done');
});
