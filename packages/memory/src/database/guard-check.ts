import { type AnyTable, Comparison, type Locks, locksInOrder, type Where } from '@pinfold/core/records';
import { isValue, type Row } from './matching.ts';

/**
 * Checks that a program holds the locks that guard the rows it reads and writes. So a forgotten lock fails at each run of the
 * program, not only in a race.
 */
export class GuardCheck {
  /** Whether each lock, by its name, is held exclusively. */
  readonly #held: ReadonlyMap<string, boolean>;

  /** @throws RangeError for too many locks. */
  constructor(locks: Locks) {
    this.#held = new Map(locksInOrder(locks).map(({ name, isShared }) => [name, !isShared]));
  }

  /** @throws Error unless one of the locks of a row is held that depend on its known members. */
  checkRead(table: AnyTable, known: Row): void {
    if (!this.#mayRead(table, known)) throw unguarded('reads', table, known);
  }

  /**
   * @param rows the found rows; undefined if the absence of rows matters, too.
   * @throws Error unless a lock is held that guards all rows of the conditions or, if they name keys, one lock of each row.
   */
  checkReads(table: AnyTable, where: Where<Row>, rows: readonly Row[] | undefined): void {
    const equal = Object.fromEntries(Object.entries(where).filter(([, match]) => isValue(match)));
    if (this.#mayRead(table, equal)) return;
    const isByKey = table.key.every((member) => isValueOrList(where[member]));
    const isGuarded = isByKey && rows?.every((row) => this.#mayRead(table, row)) === true;
    if (!isGuarded) throw unguarded('reads', table, equal);
  }

  /** @throws Error unless all locks of a row, before and after a change, are held exclusively. */
  checkWrite(table: AnyTable, before: Row | undefined, after: Row | undefined): void {
    for (const row of [before, after]) {
      if (row === undefined || table.guards === undefined) continue;
      const locks = table.guards(row);
      if (locks.length === 0 || !locks.every((name) => this.#held.get(name) === true)) {
        throw unguarded('writes', table, row);
      }
    }
  }

  #mayRead({ guards }: AnyTable, known: Row): boolean {
    return guards === undefined || guards(known).some((name) => this.#held.has(name));
  }
}

function isValueOrList(match: unknown): boolean {
  return isValue(match) || (match instanceof Comparison && match.operator === 'in');
}

/** Names only the kinds of locks, because the rest of a lock's name is a value of the row. */
function unguarded(verb: string, { name, guards }: AnyTable, known: Row): Error {
  const kinds = (guards?.(known) ?? []).map((lock) => lock.split(' ', 1)[0]);
  const needed = kinds.length === 0 ? 'a lock that its known members do not determine' : kinds.join(', ');
  return new Error(`the program ${verb} ${name} without the lock that guards it: ${needed}`);
}
