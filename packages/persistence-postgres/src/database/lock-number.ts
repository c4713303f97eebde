import { createHash } from 'node:crypto';

/** The number of an advisory lock: 64 bits of a hash of its schema and name, to avoid the numbers of other programs. */
export function lockNumber(schema: string, name: string): string {
  return createHash('sha256').update(`${schema} ${name}`).digest().readBigInt64BE().toString();
}
