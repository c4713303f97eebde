import { Fault } from '@pinfold/core';
import { codeOf, nameOf, systemCodeOf } from '@pinfold/core/internal';
import { StepError } from '@pinfold/core/records';

/** The total wait for a lock of another connection, in milliseconds. */
export const PATIENCE = 5_000;

/** The longest wait between two tries, in milliseconds; the first is one, and each is twice as long as the last. */
export const MAX_WAIT = 16;

/** Whether there is a problem with the file, the disk or a lock rather than with the statement. */
const isUnavailable = hasCode(/^SQLITE_(?:BUSY|CANTOPEN|FULL|IOERR|PERM|PROTOCOL|READONLY)(?:_|$)/);
const isCorrupt = hasCode(/^SQLITE_(?:CORRUPT|NOTADB)(?:_|$)/);

/** Whether another connection holds the lock. Nothing was done, so the caller may retry. */
export const isBusy: (error: unknown) => boolean = hasCode(/^SQLITE_(?:BUSY|PROTOCOL)(?:_|$)/);

/** Whether there was no room for the log (`IOERR_WRITE` under a quota) or what its readers share. Nothing was done. */
export const isFull: (error: unknown) => boolean = hasCode(/^SQLITE_(?:FULL|IOERR_WRITE|IOERR_SHMSIZE)$/);

/** Whether to open the connection anew before its next use: it may have another file open, or a read-only one. */
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

/** What a step of a program failed with counts as the step's error. */
function hasCode(codes: RegExp): (error: unknown) => boolean {
  return (error) => {
    const reason = error instanceof StepError ? error.cause : error;
    return isOfSqlite(reason) && codes.test(codeOf(reason) ?? '');
  };
}
