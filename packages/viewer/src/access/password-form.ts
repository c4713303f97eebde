import type { IncomingMessage } from 'node:http';
import { type Clock, seconds } from '@pinfold/core';
import { drainAndClose, readFields } from '@pinfold/http/internal';

export type PasswordForm =
  | { readonly kind: 'password'; readonly password: string }
  /** No try: the status says why. */
  | { readonly kind: 'refused'; readonly status: 400 | 408 | 413 | 415 };

const LIMITS = { idle: seconds(30), total: seconds(30), bytes: 4_096 };

const STATUS = { broken_off: 400, media_type: 415, stalled: 408, too_long: 413 } as const;

/** Reads the one form the viewer takes: `password` and nothing else, urlencoded, at most 4 KiB, within 30 seconds. */
export async function readPasswordForm(request: IncomingMessage, clock: Clock): Promise<PasswordForm> {
  const read = await readFields(request, { clock, ...LIMITS });
  if (read.kind === 'fields') {
    const [[name, password] = [], ...others] = Object.entries(read.fields);
    if (others.length > 0 || name !== 'password' || typeof password !== 'string') return refused(400);
    return { kind: 'password', password };
  }
  drainAndClose(request, { clock });
  return refused(STATUS[read.reason]);
}

function refused(status: 400 | 408 | 413 | 415): PasswordForm {
  return { kind: 'refused', status };
}
