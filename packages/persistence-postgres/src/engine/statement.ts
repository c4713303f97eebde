import { createHash } from 'node:crypto';

/** One statement, whose parameters are `$1`, `$2` … */
export interface Statement {
  /** Absent: planned anew each time, with its values. */
  readonly name: string | undefined;
  readonly text: string;
  /** How long its answer is waited for, in milliseconds; absent: as long as the pool says. */
  readonly timeout?: number;
}

/** A statement that each connection prepares once. Its name is made of its text, so that no two are taken for one. */
export function prepared(text: string): Statement {
  return { name: `pinfold_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`, text };
}

/** A statement whose best plan depends on its values. */
export function unprepared(text: string): Statement {
  return { name: undefined, text };
}

/** A statement that may take as long as a whole migration. */
export function longRunning(text: string): Statement {
  return { name: undefined, text, timeout: 86_400_000 };
}

/** Writes a name as SQL does, whatever is in it. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

const INTEGERS: ReadonlySet<number> = new Set([20, 21, 23]);
const BOOLEAN = 16;

/** Integers of any width are numbers (all of ours are safe ones), booleans are booleans, and the rest is text. */
export const TYPES: { getTypeParser(oid: number): (value: string) => unknown } = {
  getTypeParser: (oid) => {
    if (INTEGERS.has(oid)) return Number;
    return oid === BOOLEAN ? (value) => value === 't' : (value) => value;
  },
};
