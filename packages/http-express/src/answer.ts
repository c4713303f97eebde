import type { ProblemBody } from './problem.ts';

/** What a handler answers, as a value: a body of JSON, a problem, or neither. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly problem?: ProblemBody;
}

/** An answer as it goes out: whole, its length known. */
export interface EncodedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Uint8Array;
}

/** Every answer of the API carries these (contract, section 2). */
export function encodeAnswer({ status, headers, json, problem }: Answer, requestId: string): EncodedAnswer {
  const content = problem ?? json;
  const body = content === undefined ? new Uint8Array() : Buffer.from(JSON.stringify(content));
  const type = problem === undefined ? 'application/json; charset=utf-8' : 'application/problem+json';
  return {
    status,
    headers: {
      'Cache-Control': 'no-store',
      'X-Request-Id': requestId,
      'X-Content-Type-Options': 'nosniff',
      ...(content === undefined ? {} : { 'Content-Type': type, 'Content-Length': body.byteLength }),
      ...headers,
    },
    body,
  };
}
