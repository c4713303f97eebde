import type { Html } from './html.ts';

/** A handler's answer: a JSON body, a page, bytes whose headers name their type, or no body. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly html?: Html;
  readonly bytes?: Uint8Array;
}

export interface EncodedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Uint8Array;
}

/** Writes an answer with the headers that all of them carry; its own come last. */
export function encodeAnswer(
  { status, headers, json, html, bytes }: Answer,
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
  };
}
