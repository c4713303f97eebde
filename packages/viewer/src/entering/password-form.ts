import type { IncomingMessage } from 'node:http';
import { type Clock, seconds } from '@pinfold/core';
import { drainAndClose, readFields } from '@pinfold/http';

/** What came of reading the password form. */
export type PasswordForm =
  | { readonly kind: 'password'; readonly password: string }
  /** No try: the status says why. */
  | { readonly kind: 'refused'; readonly status: 400 | 408 | 413 | 415 }
  /** The client left before its end. */
  | { readonly kind: 'gone' };

/** How slow and how large it may be: it fits a few packets. */
const LIMITS = { idle: seconds(30), total: seconds(30), bytes: 4_096 };

/** Reads the one form the viewer takes: `password` and nothing else, urlencoded, at most 4 KiB, within 30 seconds. */
export async function readPasswordForm(request: IncomingMessage, clock: Clock): Promise<PasswordForm> {
  const read = await readFields(request, { clock, ...LIMITS });
  if (read.kind === 'fields') {
    const [[name, password] = [], ...others] = Object.entries(read.fields);
    if (others.length > 0 || name !== 'password' || typeof password !== 'string') return refused(400);
    return { kind: 'password', password };
  }
  drainAndClose(request, { clock });
  switch (read.trouble) {
    case 'broken_off':
      return { kind: 'gone' };
    case 'media_type':
      return refused(415);
    case 'stalled':
      return refused(408);
    case 'too_long':
      return refused(413);
    default:
      return read.trouble satisfies never;
  }
}

function refused(status: 400 | 408 | 413 | 415): PasswordForm {
  return { kind: 'refused', status };
}
