import { Fault } from '@pinfold/core';
import { codeOf, nameOf, systemCodeOf } from '@pinfold/core/internal';
import { StepError } from '@pinfold/core/records';

/** The total wait for a lock of another connection, in milliseconds. */
export const MAX_TOTAL_WAIT = 5_000;

/** The longest wait between two attempts, in milliseconds. The first wait is 1; each one is twice as long as the last. */
export const MAX_WAIT = 16;

/** Whether the file, the disk or a lock is the problem rather than the statement. */
const isUnavailable = hasCode(/^SQLITE_(?:BUSY|CANTOPEN|FULL|IOERR|PERM|PROTOCOL|READONLY)(?:_|$)/);
const isCorrupt = hasCode(/^SQLITE_(?:CORRUPT|NOTADB)(?:_|$)/);

/** Whether another connection holds the lock. Nothing has changed, so the caller may retry. */
export const isBusy: (error: unknown) => boolean = hasCode(/^SQLITE_(?:BUSY|PROTOCOL)(?:_|$)/);

/** Whether there is no room for the log (`IOERR_WRITE` under a quota) or for shared memory. Nothing has changed. */
export const isFull: (error: unknown) => boolean = hasCode(/^SQLITE_(?:FULL|IOERR_WRITE|IOERR_SHMSIZE)$/);

/** Whether the connection must be opened again: it may have a replaced or a read-only file. */
export const spoilsConnection: (error: unknown) => boolean = hasCode(
  /^SQLITE_(?:CANTOPEN|CORRUPT|IOERR|NOTADB|READONLY)(?:_|$)/,
);

export function isOfSqlite(error: unknown): boolean {
  return nameOf(error) === 'SqliteError';
}

/** Converts an error of SQLite or the system to its fault. Any other error is a bug, and is returned unchanged. */
export function asFault(error: unknown): unknown {
  if (isUnavailable(error) || systemCodeOf(error) !== undefined) return unavailable(error);
  if (isCorrupt(error)) return new Fault('store_corrupt', 'the database file is damaged', { cause: error });
  return error;
}

export function unavailable(cause: unknown): Fault {
  return new Fault('store_unavailable', 'the database cannot be used now', { cause });
}

/** Returns a test for the code of an SQLite error, even if that is the cause of a step's error. */
function hasCode(codes: RegExp): (error: unknown) => boolean {
  return (error) => {
    const reason = error instanceof StepError ? error.cause : error;
    return isOfSqlite(reason) && codes.test(codeOf(reason) ?? '');
  };
}
