import { MAX_LOCKS } from '../records/program.ts';

/** The most locks that a program takes for rows; the rest is for all other purposes. */
export const ROW_LOCKS: number = MAX_LOCKS - 10;

/** The result of a program that needs more locks. It has changed nothing, and must run again with these. */
export interface MoreLocks {
  readonly kind: 'more_locks';
  readonly locks: readonly string[];
}

/** Returns the locks to run again with; undefined if all that are wanted are held. */
export function moreLocks(wanted: readonly string[], held: readonly string[]): MoreLocks | undefined {
  const missing = wanted.filter((lock) => !held.includes(lock));
  return missing.length === 0 ? undefined : { kind: 'more_locks', locks: [...held, ...missing] };
}

/** Runs a program again and again with more locks: some locks depend on rows that it reads under the first ones. */
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
