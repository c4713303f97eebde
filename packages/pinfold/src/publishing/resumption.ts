import type { Wish } from './publication.ts';

/** Says how to go on after all tries failed; the key is quoted for a POSIX shell where it has to be. */
export function resumption({ idempotencyKey }: Pick<Wish, 'idempotencyKey'>): string {
  return `given up, and it may have been published all the same: the same command with --idempotency-key ${quoted(idempotencyKey)} goes on from here and publishes once`;
}

function quoted(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
