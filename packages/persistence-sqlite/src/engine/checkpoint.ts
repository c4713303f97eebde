import Database from 'better-sqlite3';

/** From this length on the log is begun anew although writers must wait for that, in pages: 32 MiB. */
export const LONG_LOG = 8_192;

/**
 * How long others are waited for before the log is left as it is, in milliseconds. Whoever waits for those who read in
 * the log keeps all writers waiting, and a backup reads for long.
 */
const PATIENCE = 20;

interface Checkpoint {
  /** 1 while another process copies the log. */
  readonly busy: number;
  /** Pages in the log, and those of them that are in the file now. */
  readonly log: number;
  readonly checkpointed: number;
}

/**
 * Copies what the write-ahead log holds into the file and forces both to the disk, while others read and write.
 *
 * Who never stops writing leaves no moment at which all is copied and the log can begin anew. So when it has become
 * long, writers find a lock for the little that is left then, and wait as for any other.
 */
export function checkpoint(file: string, longLog: number = LONG_LOG): void {
  // Opened for each time, beside the connection that wrote: an own one that outlives a file put in the place of this
  // one would, as the last that closes, remove the log of the new one.
  const database = new Database(file, { fileMustExist: true, timeout: PATIENCE });
  try {
    const [{ busy, log, checkpointed }] = database.pragma('wal_checkpoint(PASSIVE)') as [Checkpoint];
    if (busy === 0 && (log === checkpointed || log > longLog)) beginAnew(database);
  } finally {
    database.close();
  }
}

/** The first to write into a log that begins anew forces its head to the disk: it had better not be a request. */
function beginAnew(database: Database.Database): void {
  const [{ busy }] = database.pragma('wal_checkpoint(RESTART)') as [{ busy: 0 | 1 }];
  if (busy === 1) return;
  database.exec('BEGIN IMMEDIATE');
  database.pragma(`user_version = ${database.pragma('user_version', { simple: true })}`);
  database.exec('COMMIT');
}
