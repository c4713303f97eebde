import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Tamper } from './service.ts';

/** The head of an answer, to be changed. Names are in lower case. */
export interface Head {
  status: number;
  readonly headers: Map<string, string[]>;
}

/** Changes the heads of the viewer's answers. */
export function changingHeads(change: (head: Head, request: IncomingMessage) => void): Tamper {
  return (request, response) => {
    const original = response.writeHead;
    response.writeHead = ((status: number, given?: unknown) => {
      const head: Head = { status, headers: mapOf(flatOf(given)) };
      change(head, request);
      const flat = [...head.headers].flatMap(([name, values]) => values.flatMap((value) => [name, value]));
      return original.call(response, head.status, flat);
    }) as ServerResponse['writeHead'];
  };
}

/** Names and values in turn, of headers in either form that Node takes. */
function flatOf(given: unknown): readonly string[] {
  if (Array.isArray(given)) return given;
  return Object.entries(given ?? {}).flatMap(([name, value]) =>
    [value].flat().flatMap((one) => [name, String(one)]),
  );
}

function mapOf(flat: readonly string[]): Map<string, string[]> {
  const headers = new Map<string, string[]>();
  for (let at = 0; at < flat.length; at += 2) {
    const name = String(flat[at]).toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), String(flat[at + 1])]);
  }
  return headers;
}

/** Rewrites the values of one header, where an answer has it. */
export function rewriting(
  name: string,
  rewrite: (value: string, head: Head, request: IncomingMessage) => string,
): Tamper {
  return changingHeads((head, request) => {
    const values = head.headers.get(name);
    if (values !== undefined) {
      head.headers.set(
        name,
        values.map((value) => rewrite(value, head, request)),
      );
    }
  });
}

/** Takes headers away from requests, where a condition holds. */
export function ignoring(
  names: readonly string[],
  when: (request: IncomingMessage) => boolean = () => true,
): Tamper {
  return (request) => {
    if (when(request)) for (const name of names) delete request.headers[name];
  };
}

/** Rewrites the target of requests. */
export function retargeting(rewrite: (target: string, request: IncomingMessage) => string): Tamper {
  return (request) => {
    request.url = rewrite(request.url ?? '', request);
  };
}

/** Replaces a text in whole bodies by one as long. */
export function replacing(text: string, other: string): Tamper {
  return (_request, response) => {
    const original = response.end.bind(response) as (...given: unknown[]) => ServerResponse;
    response.end = ((body?: unknown, ...more: unknown[]) => {
      const found = Buffer.isBuffer(body) && body.includes(text);
      return original(found ? Buffer.from(body.toString().replace(text, other)) : body, ...more);
    }) as ServerResponse['end'];
  };
}

/** Whether an answer is a file of a site. */
export function isFile({ headers }: Head): boolean {
  return headers.get('cache-control')?.[0]?.endsWith('no-cache') === true;
}
