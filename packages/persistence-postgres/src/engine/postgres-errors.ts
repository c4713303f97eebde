import { Fault, isFault } from '@pinfold/core';
import { codeOf, nameOf } from '@pinfold/core/internal';
import { StepError } from '@pinfold/core/records';

/**
 * The meaning of a query's error by the class of its SQLSTATE (PostgreSQL manual, appendix A):
 * - `rolled_back`: nothing has changed, so the caller may retry.
 * - `broken`: the connection is unusable, and the effect of the statement is unknown.
 * - `unavailable`: the server cannot run it now; the connection is usable.
 */
type ErrorKind = 'rolled_back' | 'broken' | 'unavailable' | 'corrupt' | 'bug';

/** Wraps an error of a program, which must not be retried. {@link asFault} returns the error itself. */
export class ProgramError extends Error {}

export const UNAVAILABLE = 'the database cannot be used now';

const SQLSTATES: readonly (readonly [states: RegExp, errorKind: ErrorKind])[] = [
  // serialization_failure, deadlock_detected
  [/^(?:40001|40P01)$/, 'rolled_back'],
  // connection exceptions, a server that stops or starts, a read-only server, a transaction timeout
  [/^(?:08...|57P0.|25006|25P0[234])$/, 'broken'],
  // no such database, no access, out of resources, a canceled query, a lock that is not available, system errors
  [/^(?:3D...|28...|42501|53...|57014|55P03|40003|58...)$/, 'unavailable'],
  // data_corrupted, index_corrupted
  [/^XX00[12]$/, 'corrupt'],
];

/** Classifies an error; for that of a step, its cause. */
export function kindOf(error: unknown): ErrorKind {
  const reason = reasonOf(error);
  if (reason instanceof ProgramError) return 'bug';
  const name = nameOf(reason);
  if (name === undefined || name === 'TypeError' || name === 'RangeError' || isFault(reason)) return 'bug';
  const state = isOfServer(reason) ? codeOf(reason) : undefined;
  if (state === undefined) return 'broken';
  return SQLSTATES.find(([states]) => states.test(state))?.[1] ?? 'bug';
}

/** Whether the server answered with the error; others come from the socket, or from a client that waited too long. */
export function isOfServer(error: unknown): boolean {
  return 'severity' in Object(error);
}

/** Whether the server refuses changes: it is read-only, or disk_full. It still answers reads. */
export function refusesChanges(error: unknown): boolean {
  return isReadOnly(error) || codeOf(reasonOf(error)) === '53100';
}

/** Whether the server is read-only: read_only_sql_transaction. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(reasonOf(error)) === '25006';
}

/** Converts an error to its fault. Any other error is a bug, and is returned unchanged. */
export function asFault(error: unknown): unknown {
  const errorKind = kindOf(error);
  if (errorKind === 'bug') return error instanceof ProgramError ? error.cause : error;
  if (errorKind === 'corrupt') return new Fault('store_corrupt', 'the database is damaged', { cause: error });
  return new Fault('store_unavailable', UNAVAILABLE, { cause: error });
}

/** Returns the cause of a step's error, or any other error itself. */
export function reasonOf(error: unknown): unknown {
  return error instanceof StepError ? error.cause : error;
}
