import { Fault, isFault } from '@pinfold/core';

/**
 * What an error of a query means. SQLSTATE by its class (PostgreSQL manual, appendix A):
 * - `rolled_back`: nothing was done, for certain; it may be tried again.
 * - `broken`: the connection is of no more use, and what was asked may have been done or not.
 * - `unavailable`: the server could not do it now; the connection is good.
 */
export type Trouble = 'rolled_back' | 'broken' | 'unavailable' | 'corrupt' | 'bug';

const SQLSTATES: readonly (readonly [states: RegExp, trouble: Trouble])[] = [
  // serialization_failure, deadlock_detected
  [/^(?:40001|40P01)$/, 'rolled_back'],
  // connection exceptions, a server that goes down or comes up, a read-only one, a transaction that took too long
  [/^(?:08...|57P0.|25006|25P0[234])$/, 'broken'],
  // no such database, not let in or not allowed, out of resources, a canceled query, a lock not got, errors of the system,
  // and an import that is unfinished
  [/^(?:3D...|28...|42501|53...|57014|55P03|40003|58...|PF001)$/, 'unavailable'],
  // data_corrupted, index_corrupted
  [/^XX00[12]$/, 'corrupt'],
];

/** What an error means that a query or the making of a connection was rejected with. */
export function troubleOf(error: unknown): Trouble {
  if (!(error instanceof Error) || isFault(error)) return 'bug';
  if (error instanceof TypeError || error instanceof RangeError) return 'bug';
  const state = sqlStateOf(error);
  // What the server did not say comes from the socket, or from a client that waited for it too long.
  if (state === undefined) return 'broken';
  return SQLSTATES.find(([states]) => states.test(state))?.[1] ?? 'bug';
}

/** The fault that an error means; any other error, which is a bug, as it came. */
export function asFault(error: unknown): unknown {
  const trouble = troubleOf(error);
  if (trouble === 'bug') return error;
  if (trouble === 'corrupt') return new Fault('store_corrupt', 'the database is damaged', { cause: error });
  return unavailable(error);
}

/** The fault of a server that cannot be used now. */
export function unavailable(cause: unknown): Fault {
  return new Fault('store_unavailable', 'the database cannot be used now', { cause });
}

function sqlStateOf(error: Error): string | undefined {
  if (!('severity' in error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
