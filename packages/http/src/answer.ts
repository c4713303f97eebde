import type { IncomingMessage, ServerResponse } from 'node:http';
import { type DrainLimits, drain, isBodyPending } from './body/drain.ts';
import type { Html } from './html.ts';
import { outgoingBytes } from './outgoing-bytes.ts';
import { type SentBody, sendPieces } from './pieces.ts';

/** A handler's answer: a JSON body, a page, bytes or a stream whose headers name their type, or no body. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly html?: Html;
  readonly bytes?: Uint8Array;
  /** A body that is read while it is sent; `headers` must have its length. */
  readonly stream?: SentBody;
}

export interface EncodedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Uint8Array;
  readonly stream?: SentBody;
}

/** Encodes an answer. Its own headers replace those that every answer has. */
export function encodeAnswer(
  { status, headers, json, html, bytes, stream }: Answer,
  requestId: string,
): EncodedAnswer {
  const text = html === undefined ? JSON.stringify(json) : String(html);
  const body = text === undefined ? bytes : Buffer.from(text);
  const type = html === undefined ? 'application/json; charset=utf-8' : 'text/html; charset=utf-8';
  return {
    status,
    headers: {
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
      'X-Content-Type-Options': 'nosniff',
      ...(text === undefined ? {} : { 'Content-Type': type }),
      ...(body === undefined ? {} : { 'Content-Length': body.byteLength }),
      ...headers,
    },
    body: body ?? new Uint8Array(),
    ...(stream === undefined ? {} : { stream }),
  };
}

/**
 * Checks that there is memory for an answer.
 *
 * @throws UnavailableError otherwise.
 */
export function admitAnswer({ method }: IncomingMessage, { body }: EncodedAnswer): void {
  if (method !== 'HEAD') outgoingBytes.admit(body.byteLength);
}

/**
 * Writes a whole answer, or its stream piece by piece. Then drains an unread request body within limits, since closing
 * the connection at once could lose the answer.
 */
export async function send(
  request: IncomingMessage & { readonly stream?: { close(): void } },
  response: ServerResponse,
  { status, headers, body, stream }: EncodedAnswer,
  limits: DrainLimits,
): Promise<void> {
  if (response.destroyed) return;
  const isHead = request.method === 'HEAD';
  const isEarly = isBodyPending(request);
  if (!isEarly && (isHead || stream === undefined)) {
    response.writeHead(status, headers).end(isHead ? undefined : body);
    request.resume();
    return;
  }
  // Over HTTP/1, does not end the response yet: that would close the connection while the client is still sending.
  const closes = isEarly && request.httpVersionMajor === 1;
  response.writeHead(status, closes ? { ...headers, Connection: 'close' } : headers);
  if (isHead || (stream === undefined && body.byteLength === 0)) response.flushHeaders();
  else if (stream === undefined) response.write(body);
  else if (!(await sendPieces(response, stream))) return;
  // Over HTTP/2, clients wait for this end, and the rest of the body arrives all the same (RFC 9113, section 8.1).
  if (!closes) response.end();
  const isRestUnread = isEarly && (await drain(request, limits));
  response.end();
  if (!isRestUnread) request.resume();
  else if (closes) request.destroy();
  // RST_STREAM with NO_ERROR: HTTP/2 requests of Node have no effect on their stream when they are destroyed.
  else request.stream?.close();
}
