import type { IncomingMessage } from 'node:http';
import { type Clock, seconds } from '@pinfold/core';

/** What came of reading the password form. */
export type PasswordForm =
  | { readonly kind: 'password'; readonly password: string }
  /** No try: the status says why. */
  | { readonly kind: 'refused'; readonly status: 400 | 408 | 413 | 415 }
  /** The client left before its end. */
  | { readonly kind: 'gone' };

const LARGEST = 4_096;
/** How long it may take: it fits a few packets. */
const LONGEST = seconds(30);
const FORM = /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i;

/**
 * Reads the one form the viewer takes: `password` and nothing else, urlencoded, at most 4 KiB, within 30 seconds.
 * Where a server's own middleware has read the body already, its `request.body` is taken.
 */
export async function readPasswordForm(request: IncomingMessage, clock: Clock): Promise<PasswordForm> {
  const { headers } = request;
  const coding = headers['content-encoding'] ?? 'identity';
  if (!FORM.test(headers['content-type'] ?? '') || coding.toLowerCase() !== 'identity') return refused(415);
  if (Number(headers['content-length'] ?? 0) > LARGEST) return refused(413);
  if (request.readableEnded) return fieldOf(Object.entries(parsedBody(request)));
  const body = await readBody(request, clock);
  if (body.kind !== 'body') return body;
  return fieldOf([...new URLSearchParams(body.text)]);
}

function fieldOf(fields: readonly (readonly [string, unknown])[]): PasswordForm {
  const [name, password] = fields[0] ?? [];
  if (fields.length !== 1 || name !== 'password' || typeof password !== 'string') return refused(400);
  return { kind: 'password', password };
}

function refused(status: 400 | 413 | 415): PasswordForm {
  return { kind: 'refused', status };
}

function parsedBody(request: IncomingMessage): object {
  const body = 'body' in request ? request.body : undefined;
  return typeof body === 'object' && body !== null ? body : {};
}

type Body = { readonly kind: 'body'; readonly text: string } | Exclude<PasswordForm, { kind: 'password' }>;

/** Too much is left unread: Node throws the rest away once the answer is out. */
function readBody(request: IncomingMessage, clock: Clock): Promise<Body> {
  const { promise, resolve } = Promise.withResolvers<Body>();
  const over = new AbortController();
  const pieces: Buffer[] = [];
  let size = 0;
  const take = (piece: Buffer): void => {
    size += piece.length;
    pieces.push(piece);
    if (size > LARGEST) settle({ kind: 'refused', status: 413 });
  };
  const end = (): void => settle({ kind: 'body', text: Buffer.concat(pieces).toString('utf8') });
  const leave = (): void => settle({ kind: 'gone' });
  const settle = (outcome: Body): void => {
    over.abort();
    request.off('data', take).off('end', end).off('close', leave).off('error', leave);
    // An error that comes later concerns nobody any more, and must not end the process.
    request.on('error', () => {});
    resolve(outcome);
  };
  request.on('data', take).on('end', end).on('close', leave).on('error', leave);
  clock.sleep(LONGEST, over.signal).then(
    () => settle({ kind: 'refused', status: 408 }),
    () => {},
  );
  return promise;
}
