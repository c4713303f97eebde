import { Fault } from '@pinfold/core';
import Database from 'better-sqlite3';

/** Result codes by which SQLite says that the file, the disk or a lock is in the way, not the statement. */
const UNAVAILABLE = /^SQLITE_(?:BUSY|CANTOPEN|FULL|IOERR|PERM|PROTOCOL|READONLY)(?:_|$)/;
const CORRUPT = /^SQLITE_(?:CORRUPT|NOTADB)(?:_|$)/;
const BUSY = /^SQLITE_(?:BUSY|PROTOCOL)(?:_|$)/;
/** Without room for the log (by a quota: `IOERR_WRITE`), or for the memory that its readers share. */
const FULL = /^SQLITE_(?:FULL|IOERR_WRITE|IOERR_SHMSIZE)$/;
/** After these the connection may be of no more use: it saw another file, or a file it could only read. */
const DROP = /^SQLITE_(?:CANTOPEN|CORRUPT|IOERR|NOTADB|READONLY)(?:_|$)/;

/** Whether another connection holds the lock: nothing was done, so it may be tried again. */
export function isBusy(error: unknown): boolean {
  return matches(error, BUSY);
}

/** Whether the connection should be opened anew before its next use. */
export function spoilsConnection(error: unknown): boolean {
  return matches(error, DROP);
}

/** Whether there was no room on the disk: nothing was done. */
export function isFull(error: unknown): boolean {
  return matches(error, FULL);
}

/** Whether SQLite said it, of whatever kind it is. */
export function isOfSqlite(error: unknown): boolean {
  return error instanceof Database.SqliteError;
}

/** The fault that an error of SQLite means; any other error, which is a bug, as it came. */
export function asFault(error: unknown): unknown {
  if (matches(error, UNAVAILABLE)) return unavailable(error);
  if (matches(error, CORRUPT)) {
    return new Fault('store_corrupt', 'the database file is damaged', { cause: error });
  }
  return error;
}

/** The fault of a database that cannot be used now. */
export function unavailable(cause: unknown): Fault {
  return new Fault('store_unavailable', 'the database cannot be used now', { cause });
}

function matches(error: unknown, codes: RegExp): boolean {
  return error instanceof Database.SqliteError && codes.test(error.code);
}
