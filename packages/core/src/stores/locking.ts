import type { Database } from '../records/database.ts';
import { MAX_LOCKS } from '../records/program.ts';

/** The most locks that a program takes for rows, which leaves some for everything else. */
export const ROW_LOCKS: number = MAX_LOCKS - 10;

/** The most rows that a program of a cleanup removes. Each of them has up to two locks. */
const BATCH = ROW_LOCKS / 2;

/** What a program results in that has to hold further locks than it did. It has changed nothing. */
export interface MoreLocks {
  readonly kind: 'more_locks';
  readonly locks: readonly string[];
}

/** The locks for another try; undefined if all that are wanted are held. */
export function moreLocks(wanted: readonly string[], held: readonly string[]): MoreLocks | undefined {
  const missing = wanted.filter((lock) => !held.includes(lock));
  return missing.length === 0 ? undefined : { kind: 'more_locks', locks: [...held, ...missing] };
}

/** Tries with ever more locks, where they follow from rows that are read under the first ones. */
export async function tryWithLocks<Result extends { readonly kind: string }>(
  attempt: (more: readonly string[]) => Promise<Result>,
): Promise<Exclude<Result, MoreLocks>> {
  let more: readonly string[] = [];
  for (;;) {
    const result: Result | MoreLocks = await attempt(more);
    if (!isMoreLocks(result)) return result as Exclude<Result, MoreLocks>;
    more = result.locks;
  }
}

function isMoreLocks(result: { readonly kind: string }): result is MoreLocks {
  return result.kind === 'more_locks';
}

/**
 * Finds rows and removes them under their locks, batch by batch, since a program has only so many locks.
 *
 * @returns how many were removed: fewer than `limit` only when none is left.
 */
export async function removeInBatches<Row>(
  database: Pick<Database, 'pause'>,
  limit: number,
  find: (most: number) => Promise<readonly Row[]>,
  remove: (rows: readonly Row[]) => Promise<number>,
): Promise<number> {
  for (let removed = 0; ; await database.pause()) {
    const most = Math.min(limit - removed, BATCH);
    // Of none, too: a database that does not answer is a fault.
    const rows = await find(most);
    if (rows.length > 0) removed += await remove(rows);
    if (rows.length < most || removed >= limit) return removed;
  }
}
