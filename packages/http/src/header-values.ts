import type { IncomingMessage } from 'node:http';

/** The headers of a request: adapters of serverless platforms set only some of Node's properties. */
type WithHeaders = Pick<IncomingMessage, 'headers'> &
  Partial<Pick<IncomingMessage, 'headersDistinct' | 'rawHeaders'>>;

/** The values of a header, one per line; joined if the request has no lines either. `name` is in lower case. */
export function headerValues(
  { headers, headersDistinct, rawHeaders = [] }: WithHeaders,
  name: string,
): readonly string[] {
  // Requests of HTTP/2 lack `headersDistinct`.
  const isNamed = (_: string, at: number): boolean =>
    at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name;
  const distinct = headersDistinct?.[name] ?? rawHeaders.filter(isNamed);
  if (distinct.length > 0) return distinct;
  const joined = headers[name];
  return joined === undefined ? [] : [joined].flat();
}

export function requireNodeRequest(request: object, response: object): void {
  // Does not use `instanceof Headers`, which would load Node's fetch.
  const { headers } = request as { readonly headers?: { readonly get?: unknown } };
  const isRequest = headers !== undefined && typeof headers.get !== 'function';
  if (isRequest && 'writeHead' in response) return;
  throw new TypeError(
    'Pinfold needs a request and a response of node:http, and got others, such as the Request of the Fetch API. Use an adapter that makes them.',
  );
}

/**
 * Whether a request has more than one Host header (RFC 9112, section 3.2). Node uses the first, a proxy may have used the
 * last, so the site is ambiguous. Reads the raw headers, which is faster than parsing all of them for every request.
 */
export function hasSeveralHosts({ rawHeaders = [] }: Partial<Pick<IncomingMessage, 'rawHeaders'>>): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && (name === 'Host' || name.toLowerCase() === 'host')) hosts += 1;
  }
  return hosts > 1;
}
