import { hash } from 'node:crypto';

/** One statement, whose parameters are `$1`, `$2` … */
export interface Statement {
  /** The name of a prepared statement. Without one, the server plans it each time, for its values. */
  readonly name: string | undefined;
  readonly text: string;
  /** The longest wait for its answer, in milliseconds. Default: the pool's limit. */
  readonly timeout?: number | undefined;
}

/** A statement that each connection prepares once. Its name is a hash of its text. */
export function prepared(text: string): Statement {
  return { name: `pinfold_${hash('sha256', text).slice(0, 32)}`, text };
}

/** A statement whose best plan depends on its values. */
export function unprepared(text: string, timeout?: number): Statement {
  return { name: undefined, text, timeout };
}

/** Commits a transaction, or rolls it back if one of its statements failed. */
export const COMMIT: Statement = unprepared('COMMIT');
export const ROLLBACK: Statement = unprepared('ROLLBACK');

/** The number of an advisory lock: 64 bits of a hash of its schema and name, to avoid numbers of other applications. */
export function lockNumber(schema: string, name: string): string {
  return hash('sha256', `${schema} ${name}`, 'buffer').readBigInt64BE().toString();
}

/** Parsers by the OID of a type: integers of any width, whose values are all safe; JSON; boolean. */
const PARSERS: Readonly<Record<number, (value: string) => unknown>> = {
  20: Number,
  21: Number,
  23: Number,
  114: JSON.parse,
  16: (value) => value === 't',
};

/** The parsers, with other types as text. */
export const TYPES: { getTypeParser(oid: number): (value: string) => unknown } = {
  getTypeParser: (oid) => PARSERS[oid] ?? String,
};
