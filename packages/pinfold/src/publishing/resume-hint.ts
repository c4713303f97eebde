import type { PublishRequest } from './publications.ts';

/** Explains how to continue after an attempt with an unknown outcome; quotes the key for a POSIX shell if necessary. */
export function formatResumeHint(
  { idempotencyKey }: Pick<PublishRequest, 'idempotencyKey'>,
  reason: 'giving up: check the server and its URL, then' | 'interrupted:',
): string {
  return `${reason} repeat the command with --idempotency-key ${quoteForShell(idempotencyKey)}, which publishes only once, even if an attempt succeeded`;
}

function quoteForShell(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
