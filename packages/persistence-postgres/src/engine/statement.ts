import { hash } from 'node:crypto';

/** One statement, whose parameters are `$1`, `$2` … */
export interface Statement {
  /** The name of a prepared statement. Without one the server plans it each time, with its values. */
  readonly name: string | undefined;
  readonly text: string;
  /** The longest wait for its answer, in milliseconds; the pool's limit when absent. */
  readonly timeout?: number | undefined;
}

/** A statement that each connection prepares once. Its name derives from its text, so that it is unique. */
export function prepared(text: string): Statement {
  return { name: `pinfold_${hash('sha256', text).slice(0, 32)}`, text };
}

/** A statement whose best plan depends on its values. */
export function unprepared(text: string, timeout?: number): Statement {
  return { name: undefined, text, timeout };
}

/** Ends a transaction, and undoes one in which a statement failed. */
export const COMMIT: Statement = unprepared('COMMIT');
export const ROLLBACK: Statement = unprepared('ROLLBACK');

/** The number of an advisory lock: 64 bits of a hash of its schema and name, to avoid the numbers of other programs. */
export function lockNumber(schema: string, name: string): string {
  return hash('sha256', `${schema} ${name}`, 'buffer').readBigInt64BE().toString();
}

/** By the OID of a type: integers of any width, all of which are safe; JSON; and boolean. */
const PARSERS: Readonly<Record<number, (value: string) => unknown>> = {
  20: Number,
  21: Number,
  23: Number,
  114: JSON.parse,
  16: (value) => value === 't',
};

/** Reads other types as text. */
export const TYPES: { getTypeParser(oid: number): (value: string) => unknown } = {
  getTypeParser: (oid) => PARSERS[oid] ?? String,
};
