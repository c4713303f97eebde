import { Fault, isFault } from '@pinfold/core';
import { codeOf, nameOf } from '@pinfold/core/internal';
import { StepError } from '@pinfold/core/records';

/**
 * The meaning of a query's error by the class of its SQLSTATE (PostgreSQL manual, appendix A):
 * - `rolled_back`: nothing was done, so the caller may retry.
 * - `broken`: the connection is unusable, and the statement may or may not have been done.
 * - `unavailable`: the server cannot do it now; the connection is usable.
 */
export type ErrorKind = 'rolled_back' | 'broken' | 'unavailable' | 'corrupt' | 'bug';

/** Carries what a program threw past the retries of a connection. */
export class ProgramError extends Error {}

const SQLSTATES: readonly (readonly [states: RegExp, errorKind: ErrorKind])[] = [
  // serialization_failure, deadlock_detected
  [/^(?:40001|40P01)$/, 'rolled_back'],
  // connection exceptions, a server that goes down or comes up, a read-only one, a transaction that took too long
  [/^(?:08...|57P0.|25006|25P0[234])$/, 'broken'],
  // no such database, not let in or not allowed, out of resources, a canceled query, a lock not got, errors of the system
  [/^(?:3D...|28...|42501|53...|57014|55P03|40003|58...)$/, 'unavailable'],
  // data_corrupted, index_corrupted
  [/^XX00[12]$/, 'corrupt'],
];

/** The error of the server is what counts in that of a step. */
export function kindOf(error: unknown): ErrorKind {
  const reason = reasonOf(error);
  if (reason instanceof ProgramError) return 'bug';
  const name = nameOf(reason);
  if (name === undefined || name === 'TypeError' || name === 'RangeError' || isFault(reason)) return 'bug';
  const state = 'severity' in Object(reason) ? codeOf(reason) : undefined;
  // Other errors come from the socket, or from a client that waited too long.
  if (state === undefined) return 'broken';
  return SQLSTATES.find(([states]) => states.test(state))?.[1] ?? 'bug';
}

/** Returns the fault that an error means, and any other error, which is a bug, unchanged. */
export function asFault(error: unknown): unknown {
  const errorKind = kindOf(error);
  if (errorKind === 'bug') return error;
  if (errorKind === 'corrupt') return new Fault('store_corrupt', 'the database is damaged', { cause: error });
  return new Fault('store_unavailable', 'the database cannot be used now', { cause: error });
}

/** The error below the place of a step. */
export function reasonOf(error: unknown): unknown {
  return error instanceof StepError ? error.cause : error;
}
