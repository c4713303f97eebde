import { hash } from 'node:crypto';

/** The number of an advisory lock: 64 bits of a hash of its schema and name, to avoid the numbers of other programs. */
export function lockNumber(schema: string, name: string): string {
  return hash('sha256', `${schema} ${name}`, 'buffer').readBigInt64BE().toString();
}
