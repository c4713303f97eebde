import { MAX_LOCKS } from '../records/program.ts';

/** The most locks that a program takes for rows, which leaves some for everything else. */
export const ROW_LOCKS: number = MAX_LOCKS - 10;

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
