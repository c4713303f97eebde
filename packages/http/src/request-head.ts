import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { PublicUrl } from './public-url.ts';

/** A request target in origin form, and its host (RFC 9112, section 3.2). */
interface RequestTarget {
  /** Begins with `/`, and includes the query. */
  readonly path: string;
  readonly host: string | undefined;
}

const SLASH = 47;
const ABSOLUTE = /^https?:\/\/(?!:)([^/?#@]+)(?:$|(?=[/?]))/i;

/** The host that headers name: `:authority` of HTTP/2 (RFC 9113, section 8.3.1), or else Host. */
export function hostOf(headers: IncomingHttpHeaders): string | undefined {
  return (headers[':authority'] as string | undefined) ?? headers.host;
}

/**
 * Reads a request target. In absolute form, its host replaces the Host header (section 3.2.2). Returns `undefined` for
 * any other form or scheme, and for credentials before the host.
 */
export function readTarget(target: string, host: string | undefined): RequestTarget | undefined {
  if (target.charCodeAt(0) === SLASH) return { path: target, host };
  const [start, authority] = ABSOLUTE.exec(target) ?? [];
  if (start === undefined) return undefined;
  const rest = target.slice(start.length);
  return { path: rest.startsWith('/') ? rest : `/${rest}`, host: authority };
}

/** Rewrites a request in absolute form to origin form, with the Host header. Returns false if its target is unreadable. */
export function rewriteToOriginForm(request: IncomingMessage): boolean {
  const { url = '', headers } = request;
  if (url.charCodeAt(0) === SLASH) return true;
  const target = readTarget(url, hostOf(headers));
  if (target === undefined) return false;
  request.url = target.path;
  headers.host = target.host;
  return true;
}

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

/** Whether a page of this origin may have sent a form. SameSite cookies do not protect: sites share the domain. */
export function isSameOriginForm(headers: IncomingHttpHeaders, publicUrl: PublicUrl): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const { origin } = headers;
  if (origin === undefined) return true;
  const sent = origin.toLowerCase();
  if (sent === new URL(publicUrl).origin) return true;
  const host = hostOf(headers)?.toLowerCase();
  return host !== undefined && (sent === `http://${host}` || sent === `https://${host}`);
}
