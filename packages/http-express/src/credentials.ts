import type { IncomingMessage } from 'node:http';

/** The secret of a request, which follows the scheme's name (RFC 9110, section 11.6.2). */
export function credentialsOf({ headers }: IncomingMessage): string | undefined {
  return headers.authorization?.replace(/^[^ ]+ +/, '').trimEnd();
}
