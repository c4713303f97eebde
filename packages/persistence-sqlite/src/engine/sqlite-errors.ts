import { Fault } from '@pinfold/core';
import { codeOf, nameOf, systemCodeOf } from '@pinfold/core/internal';
import { StepError } from '@pinfold/core/records';

/** The total wait for a lock of another connection, in milliseconds. */
export const PATIENCE = 5_000;

/** The longest wait between two tries, in milliseconds; the first is one, and each is twice as long as the last. */
export const MAX_WAIT = 16;

/** Result codes for problems with the file, the disk or a lock rather than with the statement. */
const UNAVAILABLE = /^SQLITE_(?:BUSY|CANTOPEN|FULL|IOERR|PERM|PROTOCOL|READONLY)(?:_|$)/;
const CORRUPT = /^SQLITE_(?:CORRUPT|NOTADB)(?:_|$)/;
const BUSY = /^SQLITE_(?:BUSY|PROTOCOL)(?:_|$)/;
/** No room for the log (`IOERR_WRITE` under a quota) or for the memory that its readers share. */
const FULL = /^SQLITE_(?:FULL|IOERR_WRITE|IOERR_SHMSIZE)$/;
/** After these the connection may be unusable: it has another file open, or a read-only one. */
const DROP = /^SQLITE_(?:CANTOPEN|CORRUPT|IOERR|NOTADB|READONLY)(?:_|$)/;

/** Whether another connection holds the lock. Nothing was done, so the caller may retry. */
export function isBusy(error: unknown): boolean {
  return matches(error, BUSY);
}

/** Whether the connection should be opened anew before its next use. */
export function spoilsConnection(error: unknown): boolean {
  return matches(error, DROP);
}

/** Whether the disk was full. Nothing was done. */
export function isFull(error: unknown): boolean {
  return matches(error, FULL);
}

export function isOfSqlite(error: unknown): boolean {
  return nameOf(error) === 'SqliteError';
}

/** Converts an error of SQLite or the system to its fault. Any other error is a bug, and is returned unchanged. */
export function asFault(error: unknown): unknown {
  if (matches(error, UNAVAILABLE) || systemCodeOf(error) !== undefined) return unavailable(error);
  if (matches(error, CORRUPT)) {
    return new Fault('store_corrupt', 'the database file is damaged', { cause: error });
  }
  return error;
}

export function unavailable(cause: unknown): Fault {
  return new Fault('store_unavailable', 'the database cannot be used now', { cause });
}

/** What a step of a program failed with counts as the step's error. */
function matches(error: unknown, codes: RegExp): boolean {
  const reason = error instanceof StepError ? error.cause : error;
  return isOfSqlite(reason) && codes.test(codeOf(reason) ?? '');
}
