import type { PublishRequest } from './publications.ts';

/** How to continue after an attempt whose end is unknown; quotes the key for a POSIX shell if necessary. */
export function resumeHint(
  { idempotencyKey }: Pick<PublishRequest, 'idempotencyKey'>,
  what: 'giving up: check the server and its URL, then' | 'interrupted:',
): string {
  return `${what} repeat the command with --idempotency-key ${quoted(idempotencyKey)}, which publishes only once, even if an attempt succeeded`;
}

function quoted(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
